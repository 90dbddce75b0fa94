// Parses and checks the command line of `tributary-train`. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TRAIN_ARGUMENTS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TRAIN_ARGUMENTS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/session/spec_builder.h"
#include "trainer_client/core/dist_neighbor_loader.h"
#include "trainer_client/modes/options.h"
#include "trainer_client/torch/ddp/node_place.h"
#include "trainer_client/torch/inference/predict_options.h"
#include "trainer_client/torch/sessions/link_sessions.h"
#include "trainer_client/torch/train/train_options.h"

namespace tributary {

// A checked command line.
struct TrainArguments {
  BatchSourceOptions source;
  TrainOptions train;
  // The options of the training loader; rank and world are not set.
  NeighborLoaderOptions loader;
  std::string input_weight_file;  // of the training's inputs; empty: none
  NumNeighbors eval_num_neighbors;
  uint64_t eval_batch_size = 0;  // 0: that of the training loader
  std::string valid_split;       // empty: none
  std::string test_split;        // empty: none
  // With --task link, which has its own splits: `loader` has no inputs then.
  std::optional<LinkSampling> link;
  // The prediction after training; its loader's rank and world are not set.
  std::optional<PredictOptions> predict;
  int nproc = 1;                // ranks to start on this machine
  NodePlace node;               // this machine, when it starts them
  std::string run_id;           // RunIdOf(), once the command line is known
  absl::Duration grace_period;  // for ranks that are asked to end
  int max_restarts = 0;
  absl::Duration replace_timeout;  // 0: a lost machine ends the job
  std::string log;                 // empty: none
  std::string tensorboard;         // a folder; empty: none
  std::string http;                // RankHttpAddress(); empty: none
  bool dry_run = false;            // prints the plan alone
  bool progress = true;
};

// The arguments; or, without them, the exit code of the program, which has
// printed its help (0) or an error (2).
struct ParsedTrainArguments {
  std::optional<TrainArguments> arguments;
  int exit_code = 0;
};
// Parses a command line; prints help and errors itself.
ParsedTrainArguments ParseTrainArguments(int argc, const char* const* argv);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TRAIN_ARGUMENTS_H_
