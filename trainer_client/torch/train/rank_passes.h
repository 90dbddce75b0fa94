// Passes over loaders that all ranks of a run take together.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_RANK_PASSES_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_RANK_PASSES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "trainer_client/core/dist_loader.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/train/batch_rounds.h"
#include "trainer_client/torch/train/step_times.h"
#include "trainer_client/torch/train/train_report.h"

namespace tributary {

// Leads one rank through the rounds of its loaders. The ranks meet in each
// round: a rank that waits in a collective gives up after little more than the
// longest wait for a batch, so ranks must not drift apart by more than one.
class RankPasses {
 public:
  // All outlive it. `stop_requested` may be empty, see TrainLoaders. `stop` is
  // called by every rank, once one of them was asked to end, and returns how
  // the run ends.
  RankPasses(ProcessGroup& group, TrainObserver& observer,
             const std::function<bool()>& stop_requested,
             std::function<absl::Status()> stop)
      : group_(group),
        observer_(observer),
        stop_requested_(stop_requested),
        stop_(std::move(stop)) {}

  ProcessGroup& group() const { return group_; }
  TrainObserver& observer() const { return observer_; }
  bool stop_requested() const { return stop_requested_ && stop_requested_(); }

  // Ends the run if a rank was asked to end. The ranks meet: without that one
  // would wait in a collective for as long as another computes. Every rank must
  // call it at the same places between two steps.
  absl::Status Meet();

  // Begins a pass over a loader, which is cancelled where the run was asked to
  // end: then all ranks end here. `begun`: what its StartEpoch() returned.
  absl::Status Begin(const absl::Status& begun);

  // The rounds of a pass that has begun.
  BatchRounds RoundsOf(DistLoader* loader) const {
    return {loader, group_.rank(), group_.world(), stop_requested_};
  }

  using Round =
      absl::FunctionRef<absl::Status(uint64_t round, const BatchLease* lease)>;
  // Calls `take` for each round with this rank's batch, or null; it must run a
  // collective. Adds the waits for batches to `timer` unless it is null. Unless
  // `ahead` is null, takes each batch a round early, into `ahead`.
  absl::Status ForEachRound(DistLoader* loader, std::string_view phase,
                            uint64_t epoch, Round take,
                            StepTimer* timer = nullptr,
                            std::optional<BatchLease>* ahead = nullptr);

 private:
  ProcessGroup& group_;
  TrainObserver& observer_;
  const std::function<bool()>& stop_requested_;
  const std::function<absl::Status()> stop_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_RANK_PASSES_H_
