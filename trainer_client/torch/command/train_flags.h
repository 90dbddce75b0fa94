// Declares the flags of `tributary-train`. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TRAIN_FLAGS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TRAIN_FLAGS_H_

#include <cstdint>
#include <string>

#include "common/observe/log_flags.h"
#include "trainer_client/core/session_text/session_text.h"
#include "trainer_client/torch/command/train_arguments.h"

namespace CLI {
class App;
}

namespace tributary {

// The flags that are parsed once all of them are known, as text.
struct TrainFlagTexts {
  std::string task = "node";
  std::string metric;        // empty: the task's first
  SessionText session;       // of SessionTable()
  std::string session_file;  // with more of it; empty: none
  // With --task link; empty: the default.
  std::string decoder;
  std::string loss;
  std::string edge_time;
  std::string lr_schedule = "constant";
  std::string lr_unit = "epoch";
  uint64_t patience = 0;  // 0: no early stopping
  double min_delta = 0;
  bool epochs_given = false;
  bool sparse_options_given = false;  // --sparse-lr or --sparse-optimizer
  double checkpoint_minutes = 0;
  uint64_t checkpoint_keep = 2;
  std::string eval_num_neighbors;  // empty: those of the training
  std::string input = "train,valid,test";
  std::string buffer_size;  // empty: by nproc
  std::string mode;         // empty: by --graph or --servers
  int num_workers = 1;
  double rpc_timeout = 180;
  double replace_timeout = 0;
  double grace_period = 25;
  bool no_progress = false;
  LogFlags log{.level = "warning"};
  std::string predict;    // empty: nothing
  std::string out;        // empty: none
  std::string inference;  // empty: by what is predicted
  std::string ext_ids;    // empty: none
};

// Adds all flags and the footer to `app`. Parsing writes into `arguments` and
// `texts`, which must outlive it; numbers are checked then, and the rest by
// ParseTrainArguments().
void DeclareTrainFlags(CLI::App& app, TrainArguments& arguments,
                       TrainFlagTexts& texts);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TRAIN_FLAGS_H_
