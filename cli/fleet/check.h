// What `tributary doctor` finds, a line each.
#ifndef TRIBUTARY_CLI_FLEET_CHECK_H_
#define TRIBUTARY_CLI_FLEET_CHECK_H_

#include <string>
#include <vector>

namespace tributary {

struct Check {
  enum class Level { kOk, kWarn, kFail };
  Level level = Level::kOk;
  std::string what;    // was checked: "graph", "server 10.0.0.1:50051"
  std::string detail;  // what was found
  std::string remedy;  // what to do; empty when nothing is

  // "ok    what: detail", "fail  what: detail; remedy".
  std::string ToString() const;
};

int CountFailed(const std::vector<Check>& checks);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FLEET_CHECK_H_
