// Runs a whole fleet on one thread: virtual time, an order decided by a seed,
// nodes that crash and freeze. Modelled on FoundationDB's simulator.
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

// Runs events of all nodes in the order of virtual time; the seed decides the
// order of events at the same instant. The scheduler owns the nodes' executors.
// Not thread-safe: one thread runs all nodes.
class SimScheduler {
 public:
  using NodeId = int;

  explicit SimScheduler(uint64_t seed);
  ~SimScheduler();
  SimScheduler(const SimScheduler&) = delete;
  SimScheduler& operator=(const SimScheduler&) = delete;

  // Adds a node and returns its executor, owned by the scheduler. `drift`
  // multiplies the time that the node's clock shows (1.0: none). A node's
  // random numbers depend only on the seed, its name and the number of earlier
  // nodes of that name.
  SimExecutor* AddNode(std::string name, double drift = 1.0);

  // Drops all pending and future events and timers of the node. Their captures
  // are destroyed after the current event.
  void Crash(NodeId node);
  bool crashed(NodeId node) const;
  // Suspends a node: its events and timers wait and become due all at once on
  // Thaw.
  void Freeze(NodeId node);
  void Thaw(NodeId node);
  bool frozen(NodeId node) const { return node >= 0 && nodes_[node].frozen; }
  // Returns the number of pending events and timers of the node.
  size_t num_pending(NodeId node) const;

  // Returns the world's time, without drift.
  absl::Time now() const { return now_; }
  uint64_t seed() const { return seed_; }
  // Random numbers of the world's own stream; Below is uniform in [0, n) and
  // requires n > 0.
  uint64_t Below(uint64_t n) { return random_.Below(n); }
  bool Chance(double p) { return random_.Chance(p); }

  // Schedules `task` on a node, or on the world (-1), which never crashes or
  // freezes. Returns the event's id for Cancel.
  uint64_t Schedule(NodeId node, absl::Time when, Task task);
  // Returns true if the event was pending and now never runs.
  bool Cancel(uint64_t event);

  // Runs one event; returns false if there is none that may run.
  bool Step();
  // Steps until `done` returns true, no event is left, or the world's time has
  // passed `limit` from now. Returns whether `done` holds.
  bool RunUntil(const std::function<bool()>& done, absl::Duration limit);
  // Steps until no event is left; returns false if more than `max_events` have
  // run.
  bool Drain(uint64_t max_events);

  // Sets a function that is called after every event.
  void set_each_step(std::function<void()> each_step) {
    each_step_ = std::move(each_step);
  }
  uint64_t events_run() const { return events_run_; }
  // Returns the node of the event that ran last.
  NodeId last_node() const { return last_node_; }

 private:
  struct Key {
    absl::Time when;
    uint64_t tie;  // random order within an instant
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
  SimRandom random_;  // the world's own stream
  uint64_t next_id_ = 1;
  uint64_t events_run_ = 0;
  NodeId last_node_ = -1;
  std::map<Key, Event> events_;
  std::map<uint64_t, Key> keys_;  // by event id, for Cancel
  std::vector<Node> nodes_;
  std::map<std::string, int> name_counts_;
  std::vector<Event> frozen_events_;
  std::vector<Task> dropped_tasks_;  // dropped tasks, destroyed between events
  std::function<void()> each_step_;
};

// The Executor of one node; its tasks are dropped when the node crashes. As on
// a thread pool, tasks do not run in the order posted; use a Strand where it
// matters.
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
