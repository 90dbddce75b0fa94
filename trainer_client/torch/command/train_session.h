// Reads the options of `tributary-train` that say how batches are sampled. No
// torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TRAIN_SESSION_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TRAIN_SESSION_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "trainer_client/torch/command/train_arguments.h"
#include "trainer_client/torch/command/train_flags.h"

namespace CLI {
class App;
}

namespace tributary {

// Returns whether the program takes the option of SessionTable(), or refuses
// it.
bool IsTakenByTrain(absl::string_view name);

// Adds --session and a flag for each option of SessionTable(), with this
// program's defaults. Help lists those that it takes; the others are refused,
// with the reason, by ReadTrainSession(). `texts` must outlive `app`.
void DeclareTrainSession(CLI::App& app, TrainFlagTexts& texts);

// Adds the texts of --session to `texts`. Fills the loader, its files, the
// fanouts of the evaluation and, with --task link, the negatives and excluded
// edges of `link`, whose links are read of
// --input. INVALID_ARGUMENT with the option and what is allowed.
absl::Status ReadTrainSession(TrainFlagTexts& texts, TrainArguments& arguments);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TRAIN_SESSION_H_
