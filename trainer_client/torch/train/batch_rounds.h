// The rounds in which the ranks of a training job walk an epoch. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_BATCH_ROUNDS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_BATCH_ROUNDS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "trainer_client/core/dist_loader.h"

namespace tributary {

// The rounds [first, end) of one optimizer step.
struct StepRounds {
  uint64_t first = 0;
  uint64_t end = 0;
  friend bool operator==(const StepRounds&, const StepRounds&) = default;
};

// One rank's view of an epoch: in round k rank r has the batch begin_index + k
// * world + r of the loader, if the epoch has that many. All ranks have the
// same number of rounds; in the last one some may have no batch. Not
// thread-safe. `loader` must outlive the object, and its epoch must have been
// started.
class BatchRounds {
 public:
  // `stop_requested`, if set: whether the run was asked to end, by which its
  // loaders are cancelled.
  BatchRounds(DistLoader* loader, int rank, int world,
              std::function<bool()> stop_requested = nullptr)
      : loader_(loader),
        rank_(static_cast<uint64_t>(rank)),
        world_(static_cast<uint64_t>(world)),
        stop_requested_(std::move(stop_requested)) {}

  uint64_t count() const {
    return (loader_->end_index() - loader_->begin_index() + world_ - 1) /
           world_;
  }

  // Returns the inputs of all ranks' batches in the round, without asking them.
  uint64_t Inputs(uint64_t round) const;

  // Returns the step that takes `round` if each step has `accumulate` rounds
  // from the first one on; the epoch's last step may have fewer. Requires
  // round < count() and accumulate > 0.
  StepRounds StepOf(uint64_t round, uint64_t accumulate) const;
  // Returns the inputs of all ranks' batches in the rounds of a step.
  uint64_t Inputs(const StepRounds& step) const;

  // Returns this rank's batch of the round, nullopt when it has none, or none
  // came before the run was asked to end. Rounds must be taken in order.
  // Returns the loader's errors; INTERNAL when it gives another batch than the
  // one due.
  absl::StatusOr<std::optional<BatchLease>> Batch(uint64_t round);

 private:
  // Returns the index of rank 0's batch in the round.
  uint64_t FirstOf(uint64_t round) const {
    return loader_->begin_index() + round * world_;
  }

  DistLoader* const loader_;
  const uint64_t rank_;
  const uint64_t world_;
  const std::function<bool()> stop_requested_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_BATCH_ROUNDS_H_
