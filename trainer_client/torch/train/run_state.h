// The state, but tensors, from which a training run goes on. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_RUN_STATE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_RUN_STATE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer_client/core/session/cursor.h"
#include "trainer_client/torch/checkpoint/checkpoint_manifest.h"
#include "trainer_client/torch/tasks/tally.h"
#include "trainer_client/torch/train/schedule/early_stopping.h"

namespace tributary {

// The state at an optimizer step's barrier, equal at all ranks.
struct RunState {
  uint64_t step = 0;   // optimizer steps taken
  uint64_t epoch = 0;  // the current one
  Cursor cursor;       // in it
  // The sums of the epoch so far, by rank. A sum of doubles depends on its
  // order: each rank goes on with its own.
  std::vector<Tally> tallies;
  std::optional<double> best_valid;
  uint64_t best_epoch = 0;
  bool has_best_parameters = false;
  EarlyStoppingState stopping;

  // Returns the tally that a rank of a world goes on with: its own in the same
  // world, else rank 0 has the sum of all.
  Tally TallyOf(int rank, int world) const;
};

// Returns the parts of the manifest that say where the run is.
CheckpointManifest ToManifest(const RunState& state);
// Reads them back. DATA_LOSS, naming the number, if one is missing.
absl::StatusOr<RunState> FromManifest(const CheckpointManifest& manifest);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_RUN_STATE_H_
