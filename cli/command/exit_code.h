// Exit codes of commands that end as something else has.
#ifndef TRIBUTARY_CLI_COMMAND_EXIT_CODE_H_
#define TRIBUTARY_CLI_COMMAND_EXIT_CODE_H_

#include "absl/status/status.h"

namespace tributary {

// Returns `status`, an error, which ends the program with `exit_code`.
absl::Status WithExitCode(absl::Status status, int exit_code);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_COMMAND_EXIT_CODE_H_
