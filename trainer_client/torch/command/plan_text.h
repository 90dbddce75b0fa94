// The text of `tributary-train --dry-run`. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_PLAN_TEXT_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_PLAN_TEXT_H_

#include <cstdint>
#include <string>

#include "trainer_client/torch/train/train_plan.h"

namespace tributary {

// The settings of the command line that a TrainPlan lacks.
struct PlanSettings {
  std::string model;        // the name of --model
  std::string columns;      // that batches hold, as --collect of `sample`
  uint64_t batch_size = 0;  // per rank
  uint64_t epochs = 0;
  uint64_t buffer_size = 0;    // bytes of each loader's receive ring
  uint64_t prefetch_size = 0;  // batches
};

// Returns bytes for people: "0 B", "999 B", "1.0 kB", "36.9 MB"; decimal units.
std::string BytesText(uint64_t bytes);

// Returns the lines of the plan, each ended by a newline.
std::string PlanText(const TrainPlan& plan, const PlanSettings& settings);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_PLAN_TEXT_H_
