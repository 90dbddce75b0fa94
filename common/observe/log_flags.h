// The flags by which every program that logs is told what and how.
#ifndef TRIBUTARY_COMMON_OBSERVE_LOG_FLAGS_H_
#define TRIBUTARY_COMMON_OBSERVE_LOG_FLAGS_H_

#include <string>

#include "absl/status/status.h"

namespace CLI {
class App;
}

namespace tributary {

struct LogFlags {
  std::string level = "info";
  std::string format = "text";
};

// Adds --log-level and --log-format, whose values parsing writes into `flags`,
// which must outlive `app`. A flag that is not given has the value of
// TRIBUTARY_LOG_LEVEL or TRIBUTARY_LOG_FORMAT, else what `flags` holds.
void AddLogFlags(CLI::App& app, LogFlags& flags);

// Sets the process's log, and both variables for the programs that it starts.
// INVALID_ARGUMENT names the flag, its value and what is allowed. Call it while
// the process has one thread.
absl::Status ApplyLogFlags(const LogFlags& flags);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_OBSERVE_LOG_FLAGS_H_
