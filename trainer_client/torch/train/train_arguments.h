// The options of `tributary-train`, parsed and checked. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_ARGUMENTS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_ARGUMENTS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer_client/core/dist_neighbor_loader.h"
#include "trainer_client/torch/train/train_command.h"
#include "trainer_client/torch/train/train_options.h"

namespace tributary {

struct TrainArguments {
  BatchSourceOptions source;
  TrainOptions train;
  // Split, seed and fanouts for training; rank and world are not set.
  NeighborLoaderOptions loader;
  std::vector<int32_t> eval_num_neighbors;
  std::string valid_split;  // empty: none
  std::string test_split;   // empty: none
  int nproc = 1;
  std::string log;  // empty: none
  bool progress = true;
};

// Either arguments, or the exit code of a program that has printed its help
// (0) or what is wrong (2).
struct ParsedTrainArguments {
  std::optional<TrainArguments> arguments;
  int exit_code = 0;
};
ParsedTrainArguments ParseTrainArguments(int argc, const char* const* argv);

// "10,5" -> {10, 5}; -1 is all. INVALID_ARGUMENT with the option's name.
absl::StatusOr<std::vector<int32_t>> ParseFanouts(const std::string& option,
                                                  const std::string& text);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_ARGUMENTS_H_
