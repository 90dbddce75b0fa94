// The identity of a training run, by which its machines and ranks know each
// other, and refuse those of another one.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_RUN_IDENTITY_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_RUN_IDENTITY_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tributary {

// Returns the run's id, the same for all its machines, ranks and attempts, and
// for a machine that is started again: `given`, if it is not empty; else
// torchrun's TORCHELASTIC_RUN_ID, if it is set and not its default, "none";
// else "command-" and a digest of the command line `words` without the program
// and --node-rank. `variable` returns an environment variable's value, null if
// it is not set. INVALID_ARGUMENT if `given` is longer than 253 bytes or has
// characters other than printable ones of ASCII.
absl::StatusOr<std::string> RunIdOf(
    absl::string_view given, absl::Span<const std::string> words,
    absl::FunctionRef<const char*(const char*)> variable);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_RUN_IDENTITY_H_
