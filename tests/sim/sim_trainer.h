// A trainer of the simulation: a LoaderCore and a user who takes its batches,
// steps, and writes checkpoints.
#ifndef TRIBUTARY_TESTS_SIM_SIM_TRAINER_H_
#define TRIBUTARY_TESTS_SIM_SIM_TRAINER_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "channel/testing/sim_network.h"
#include "common/hash/sha256.h"
#include "common/testing/sim_random.h"
#include "common/testing/sim_scheduler.h"
#include "trainer_client/core/loader_core.h"

namespace tributary {

struct SimTrainerOptions {
  std::string name;
  LoaderSession session;
  LoaderCoreOptions core;
  std::vector<Address> servers;
  std::string client;  // the job's name
  uint64_t seed = 1;
  double drift = 1;
  // A step, between two Next(), takes up to this long.
  absl::Duration max_step = absl::Milliseconds(4);
  uint64_t max_held = 1;          // batches held, including earlier steps'
  uint64_t checkpoint_every = 1;  // steps
  // Rows that the trainer holds; null: none.
  std::shared_ptr<HeldRows> held;
  // Adds rows to these; returns false once it has all. Called now and then, and
  // again after rows were dropped.
  std::function<bool()> add_rows;
  // See ServerFleet::PinGraph.
  std::optional<Sha256Digest> graph_content;
};

// Observes what a trainer's user gets. Called on the trainer's node.
class SimUser {
 public:
  virtual ~SimUser() = default;
  virtual void OnBatch(const BatchView& view) = 0;
  virtual void OnRelease(const BatchView& view) = 0;
  // The error came in the place of a batch.
  virtual void OnError(const absl::Status& why) = 0;
  // Next() reported that the user's own leases fill the ring.
  virtual void OnLeasesFillRing(size_t held) = 0;
};

// Runs on one node. Destroy it after the node has crashed or closed() holds.
// `world`, `network` and `user` outlive it.
class SimTrainer {
 public:
  SimTrainer(SimScheduler* world, SimNetwork* network,
             SimTrainerOptions options, SimUser* user);

  // Takes all batches of the epoch from `cursor` on.
  void Run(const Cursor& cursor);
  bool done() const { return done_; }
  // Whether it waits in Next().
  bool waiting() const { return waiting_; }
  // Returns the number of batches and errors since Run.
  uint64_t delivered() const { return delivered_; }
  // Returns how many of these the last checkpoint covers, and its cursor.
  uint64_t committed() const { return committed_; }
  Cursor cursor() const { return core_->CursorAfter(committed_); }

  // The user takes no batch for that long and keeps those it has; the loader
  // goes on.
  void StayAway(absl::Duration time);

  // Releases the batches and closes the core. closed() holds once nothing
  // writes into the ring any more.
  void Close();
  bool closed() const { return closed_; }
  const SlotRing& ring() const { return core_->ring(); }
  LoaderStats stats() const { return core_->stats(); }
  SimExecutor* node() const { return node_; }

 private:
  void AddRows();
  void Pull();
  void Take(absl::StatusOr<std::optional<BatchLease>> next);
  void Step();
  void Release(bool oldest);

  SimExecutor* const node_;
  const SimTrainerOptions options_;
  SimUser* const user_;
  SimRandom random_;
  const std::shared_ptr<Strand> strand_;
  const std::shared_ptr<LoaderCore> core_;
  std::deque<BatchLease> held_;
  absl::Time away_until_ = absl::InfinitePast();
  uint64_t delivered_ = 0;
  uint64_t committed_ = 0;
  bool waiting_ = false;
  bool done_ = false;
  bool closed_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_SIM_TRAINER_H_
