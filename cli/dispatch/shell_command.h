// Runs a command of the user's in a shell.
#ifndef TRIBUTARY_CLI_DISPATCH_SHELL_COMMAND_H_
#define TRIBUTARY_CLI_DISPATCH_SHELL_COMMAND_H_

#include <string>

#include "absl/status/statusor.h"

namespace tributary {

struct ShellResult {
  int wait_status = 0;  // as of waitpid()
  std::string output;   // the last 2 KiB of stdout and stderr together

  bool ok() const { return wait_status == 0; }
};

// Runs `command` by /bin/sh -c and waits for its end; stdin is empty. The
// command gets SIGTERM when this process dies. Thread-safe. UNAVAILABLE if the
// system cannot start it.
absl::StatusOr<ShellResult> RunShellCommand(const std::string& command);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_DISPATCH_SHELL_COMMAND_H_
