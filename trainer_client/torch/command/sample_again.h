// Writes the `tributary sample` command that makes a batch of a training run
// again. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_SAMPLE_AGAIN_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_SAMPLE_AGAIN_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "trainer_client/core/kinds/session_options.h"
#include "trainer_client/modes/options.h"

namespace tributary {

// Returns `word` as a POSIX shell reads it back: itself, if it has no character
// of a meaning there, else in single quotes.
std::string ShellWord(absl::string_view word);

// Returns the shell command that prints the line of the batch `index` of
// `epoch`; empty for a session without text (TextOf), as one of links with
// times of their own. `source` says where the batches come from; its paths stay
// as they are, so the command runs in the trainer's folder.
std::string SampleAgainCommand(const BatchSourceOptions& source,
                               const SessionOptions& session, uint64_t epoch,
                               uint64_t index);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_SAMPLE_AGAIN_H_
