// A whole fleet on one thread: virtual time, seeded order, nodes that crash and
// freeze. In the manner of FoundationDB's simulator.
#ifndef TRIBUTARY_COMMON_TESTING_SIM_SCHEDULER_H_
#define TRIBUTARY_COMMON_TESTING_SIM_SCHEDULER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "common/runtime/executor.h"
#include "common/testing/sim_random.h"

namespace tributary {

class SimExecutor;

// Runs events in the order of virtual time; events of one instant in an order
// that the seed decides. Not thread-safe: one thread runs the whole world.
class SimScheduler {
 public:
  using NodeId = int;

  explicit SimScheduler(uint64_t seed);
  ~SimScheduler();
  SimScheduler(const SimScheduler&) = delete;
  SimScheduler& operator=(const SimScheduler&) = delete;

  // A new node with its executor, owned by the scheduler. `drift` multiplies
  // the time that the node's clock shows (1.0: none). What a node draws depends
  // on the seed, its name and how many of that name there were, on nothing
  // else.
  SimExecutor* AddNode(std::string name, double drift = 1.0);

  // Drops the node's pending events and timers, now and later ones too. What
  // they captured is destroyed after the current event.
  void Crash(NodeId node);
  bool crashed(NodeId node) const;
  // Events of a frozen node wait, its timers come due all at once on Thaw.
  void Freeze(NodeId node);
  void Thaw(NodeId node);
  bool frozen(NodeId node) const { return node >= 0 && nodes_[node].frozen; }
  // Events and timers that wait, of one node.
  size_t num_pending(NodeId node) const;

  // World time, without drift.
  absl::Time now() const { return now_; }
  uint64_t seed() const { return seed_; }
  // Drawn from the world's own stream; uniform in [0, n). Requires n > 0.
  uint64_t Below(uint64_t n) { return random_.Below(n); }
  bool Chance(double p) { return random_.Chance(p); }

  // Schedules for a node (-1: the world itself, never crashed nor frozen).
  uint64_t Schedule(NodeId node, absl::Time when, Task task);
  bool Cancel(uint64_t event);

  // Runs one event; false when none is left that may run.
  bool Step();
  // Steps until `done` holds, the events run out, or world time has passed
  // `limit`. True when `done` holds. `each_step`, if any, follows every event.
  bool RunUntil(const std::function<bool()>& done, absl::Duration limit);
  // Steps until no event is left; false when more than `max_events` were run.
  bool Drain(uint64_t max_events);

  void set_each_step(std::function<void()> each_step) {
    each_step_ = std::move(each_step);
  }
  uint64_t events_run() const { return events_run_; }
  // Whose the event was that ran last.
  NodeId last_node() const { return last_node_; }

 private:
  struct Key {
    absl::Time when;
    uint64_t tie;  // random: the order within an instant
    uint64_t id;
    friend bool operator<(const Key& a, const Key& b) {
      return std::tie(a.when, a.tie, a.id) < std::tie(b.when, b.tie, b.id);
    }
  };
  struct Event {
    NodeId node;
    Task task;
  };
  struct Node {
    std::unique_ptr<SimExecutor> executor;
    SimRandom random;
    bool crashed = false;
    bool frozen = false;
  };

  friend class SimExecutor;
  SimRandom& random(NodeId node) {
    return node < 0 ? random_ : nodes_[node].random;
  }

  const uint64_t seed_;
  absl::Time now_ = absl::UnixEpoch() + absl::Hours(1);
  SimRandom random_;  // of the world itself
  uint64_t next_id_ = 1;
  uint64_t events_run_ = 0;
  NodeId last_node_ = -1;
  std::map<Key, Event> events_;
  std::map<uint64_t, Key> keys_;  // by event id, for Cancel
  std::vector<Node> nodes_;
  std::map<std::string, int> nodes_named_;
  std::vector<Event> frozen_events_;
  std::vector<Task> graveyard_;  // of crashed nodes, destroyed between events
  std::function<void()> each_step_;
};

// One node's view: its tasks go when it crashes. Post order is not kept (a pool
// of threads keeps none either); use a Strand where it matters.
class SimExecutor final : public Executor {
 public:
  SimExecutor(SimScheduler* scheduler, int node, std::string name, double drift)
      : scheduler_(scheduler),
        node_(node),
        name_(std::move(name)),
        clock_(scheduler, drift) {}

  int node() const { return node_; }
  const std::string& name() const { return name_; }
  SimScheduler* scheduler() const { return scheduler_; }

  const Clock& clock() const override { return clock_; }
  void Post(Task task) override;
  TimerId PostAt(absl::Time when, Task task) override;
  bool CancelTimer(TimerId id) override { return scheduler_->Cancel(id); }

 private:
  class DriftingClock final : public Clock {
   public:
    DriftingClock(const SimScheduler* world, double drift)
        : world_(world), drift_(drift) {}
    absl::Time Now() const override;
    absl::Time ToWorld(absl::Time local) const;

   private:
    const SimScheduler* const world_;
    const double drift_;
  };

  SimScheduler* const scheduler_;
  const int node_;
  const std::string name_;
  const DriftingClock clock_;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TESTING_SIM_SCHEDULER_H_
