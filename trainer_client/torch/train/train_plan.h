// The plan of a training run, made without training. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_PLAN_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_PLAN_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/dist_loader.h"

namespace tributary {

// A loader's pass over its inputs.
struct PassPlan {
  std::string name;  // "train", "valid", "test", ...
  uint64_t inputs = 0;
  uint64_t batches = 0;  // over all ranks
  uint64_t rounds = 0;   // the batches of the rank that has most
  // Of batch 0 of epoch 0, which was sampled for it; 0 without batches.
  uint64_t batch_nodes = 0;
  uint64_t batch_edges = 0;
  uint64_t batch_bytes = 0;

  // Returns the bytes of a pass if all batches were as large as the first.
  uint64_t pass_bytes() const { return batches * batch_bytes; }
};

struct TrainPlan {
  std::string graph;                                   // with its version
  std::vector<std::pair<std::string, int64_t>> nodes;  // by type
  std::vector<std::pair<std::string, int64_t>> edges;  // by type
  uint64_t world = 1;                                  // ranks
  std::vector<PassPlan> passes;                        // train is the first
  int64_t parameters = 0;
  uint64_t parameter_bytes = 0;
  uint64_t optimizer_bytes = 0;  // of a rank
  // Rows on all servers together, with their optimizer's state.
  uint64_t row_bytes = 0;
  // Of one checkpoint: parameters, optimizer, and the best epoch's parameters
  // where there is a validation.
  uint64_t checkpoint_bytes = 0;
};

// Returns a plan with the graph's name and counts.
TrainPlan PlanOfGraph(const GraphSchema& schema);

// Samples batch 0 of epoch 0. `loader` must be that of the only rank of a world
// of one; the plan is for `world` ranks. Returns the loader's errors.
absl::StatusOr<PassPlan> PlanPass(const std::string& name, DistLoader* loader,
                                  uint64_t world);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_PLAN_H_
