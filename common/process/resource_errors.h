// Turns what the standard library throws into errors.
#ifndef TRIBUTARY_COMMON_PROCESS_RESOURCE_ERRORS_H_
#define TRIBUTARY_COMMON_PROCESS_RESOURCE_ERRORS_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace tributary {

// Returns what `run` returns, or an error for what it throws: a valid size may
// be more than this machine has (RESOURCE_EXHAUSTED), and libraries throw
// others where the system refuses them something (INTERNAL). For the outermost
// call of a program.
absl::Status CatchResourceErrors(absl::FunctionRef<absl::Status()> run);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_PROCESS_RESOURCE_ERRORS_H_
