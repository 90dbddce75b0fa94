// Reads how COMMAND of `tributary launch` starts its ranks.
#ifndef TRIBUTARY_CLI_LAUNCH_TRAINER_COMMAND_H_
#define TRIBUTARY_CLI_LAUNCH_TRAINER_COMMAND_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tributary {

// COMMAND, a line for /bin/sh.
struct TrainerCommand {
  enum class Kind {
    kRank,      // a process is a rank: it is started once for each
    kTorchrun,  // torchrun starts a host's ranks, and reads PET_ variables
    kNproc,     // --nproc K does; --nnodes and its like say which host this is
  };
  Kind kind = Kind::kRank;
  std::string text;
  // The first word that is no variable; empty if only a shell can tell.
  std::string program;
  int nproc = 0;            // kNproc
  bool has_nnodes = false;  // the user says which host this is
  // Whether further flags may follow the text: it is one simple command.
  bool is_simple = true;
};

// Splits at white space, outside of quotes. INVALID_ARGUMENT for an empty text
// and for --nproc without a number from 1 to 1024.
absl::StatusOr<TrainerCommand> ReadTrainerCommand(absl::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_LAUNCH_TRAINER_COMMAND_H_
