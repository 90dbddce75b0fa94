// A trainer of the simulation: pulls batches through the real loader core and
// writes down what it got.
#ifndef TRIBUTARY_TESTS_SIM_SIM_TRAINER_H_
#define TRIBUTARY_TESTS_SIM_SIM_TRAINER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "channel/testing/sim_network.h"
#include "common/testing/sim_scheduler.h"
#include "trainer_client/core/loader_core.h"

namespace tributary {

struct SimTrainerOptions {
  LoaderSession session;
  LoaderCoreOptions core;
  std::vector<Address> servers;
  uint64_t jitter_seed = 1;
  // Between two Next() it "trains" for up to this long, holding the lease.
  absl::Duration max_step = absl::Milliseconds(4);
};

// Lives on one node; destroy after the node has crashed or the core closed.
class SimTrainer {
 public:
  SimTrainer(SimScheduler* world, SimNetwork* network,
             SimTrainerOptions options);

  // Takes the epoch from `cursor` to its end.
  void Run(const Cursor& cursor);
  bool done() const { return done_; }
  // Index and digest, in the order of delivery.
  const std::vector<std::pair<uint64_t, std::string>>& taken() const {
    return taken_;
  }
  const std::vector<absl::Status>& errors() const { return errors_; }
  // Where a checkpoint made now would go on.
  Cursor cursor() const { return core_->CursorAfter(taken_.size()); }

  // `closed()` holds once nothing writes into the ring any more.
  void Close();
  bool closed() const { return closed_; }
  SlotRingStats ring() const { return core_->ring().stats(); }
  const LoaderStats& stats() const { return core_->stats(); }
  SimExecutor* node() const { return node_; }

 private:
  void Pull();
  void Take(absl::StatusOr<std::optional<BatchLease>> next);

  SimScheduler* const world_;
  SimExecutor* const node_;
  const SimTrainerOptions options_;
  const std::shared_ptr<Strand> strand_;
  const std::shared_ptr<LoaderCore> core_;
  std::vector<std::pair<uint64_t, std::string>> taken_;
  std::vector<absl::Status> errors_;
  std::deque<BatchLease> held_;
  bool done_ = false;
  bool closed_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_SIM_TRAINER_H_
