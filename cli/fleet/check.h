// The findings of `tributary doctor`, printed one per line.
#ifndef TRIBUTARY_CLI_FLEET_CHECK_H_
#define TRIBUTARY_CLI_FLEET_CHECK_H_

#include <string>
#include <vector>

namespace tributary {

// The result of one check.
struct Check {
  enum class Level { kOk, kWarn, kFail };
  Level level = Level::kOk;
  std::string what;    // the thing checked: "graph", "server 10.0.0.1:50051"
  std::string detail;  // what was found
  std::string remedy;  // what to do; empty if nothing needs doing

  // Returns one line: "ok    what: detail", "fail  what: detail; remedy".
  std::string ToString() const;
};

// Returns how many checks have level kFail.
int CountFailed(const std::vector<Check>& checks);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FLEET_CHECK_H_
