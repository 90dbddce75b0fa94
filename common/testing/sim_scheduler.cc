#include "common/testing/sim_scheduler.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

// Executors delay a posted task by up to this long, so that tasks posted at the
// same moment interleave differently with each seed.
constexpr absl::Duration kMaxPostDelay = absl::Microseconds(20);

}  // namespace

SimScheduler::SimScheduler(uint64_t seed)
    : seed_(seed), random_(seed, "world") {}

// Repeats, because tasks may own streams and reservations whose destruction
// schedules more events.
SimScheduler::~SimScheduler() {
  while (!events_.empty() || !frozen_events_.empty() ||
         !dropped_tasks_.empty()) {
    auto events = std::exchange(events_, {});
    auto frozen = std::exchange(frozen_events_, {});
    auto dropped = std::exchange(dropped_tasks_, {});
    keys_.clear();
  }
}

SimExecutor* SimScheduler::AddNode(std::string name, double drift) {
  const int id = static_cast<int>(nodes_.size());
  const SimRandom random(seed_, absl::StrCat(name, "#", name_counts_[name]++));
  nodes_.push_back(
      {std::make_unique<SimExecutor>(this, id, std::move(name), drift),
       random});
  // clang reports a leak of objects that nodes_ owns.
  return nodes_.back().executor.get();
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)

void SimScheduler::Crash(NodeId node) {
  nodes_[node].crashed = true;
  for (auto it = events_.begin(); it != events_.end();) {
    if (it->second.node != node) {
      ++it;
      continue;
    }
    dropped_tasks_.push_back(std::move(it->second.task));
    keys_.erase(it->first.id);
    it = events_.erase(it);
  }
  for (Event& event : frozen_events_) {
    if (event.node == node) dropped_tasks_.push_back(std::move(event.task));
  }
  std::erase_if(frozen_events_,
                [node](const Event& event) { return event.node == node; });
}

bool SimScheduler::crashed(NodeId node) const {
  return node >= 0 && nodes_[node].crashed;
}

void SimScheduler::Freeze(NodeId node) { nodes_[node].frozen = true; }

void SimScheduler::Thaw(NodeId node) {
  nodes_[node].frozen = false;
  std::vector<Event> waiting;
  std::vector<Event> rest;
  for (Event& event : frozen_events_) {
    (event.node == node ? waiting : rest).push_back(std::move(event));
  }
  frozen_events_ = std::move(rest);
  for (Event& event : waiting) {
    // Keeps the order in which the events would have run.
    const Key key{now_, 0, next_id_++};
    keys_.emplace(key.id, key);
    events_.emplace(key, std::move(event));
  }
}

size_t SimScheduler::num_pending(NodeId node) const {
  size_t n = 0;
  for (const auto& [key, event] : events_) n += event.node == node;
  for (const Event& event : frozen_events_) n += event.node == node;
  return n;
}

uint64_t SimScheduler::Schedule(NodeId node, absl::Time when, Task task) {
  const uint64_t id = next_id_++;
  if (crashed(node)) {
    dropped_tasks_.push_back(std::move(task));
    return id;
  }
  const Key key{std::max(when, now_), random(node).Next() >> 1 | 1, id};
  keys_.emplace(id, key);
  events_.emplace(key, Event{node, std::move(task)});
  return id;
}

bool SimScheduler::Cancel(uint64_t event) {
  auto it = keys_.find(event);
  if (it == keys_.end()) return false;
  auto found = events_.find(it->second);
  dropped_tasks_.push_back(std::move(found->second.task));
  events_.erase(found);
  keys_.erase(it);
  return true;
}

bool SimScheduler::Step() {
  { auto dropped = std::exchange(dropped_tasks_, {}); }
  while (!events_.empty()) {
    auto first = events_.begin();
    now_ = first->first.when;
    Event event = std::move(first->second);
    keys_.erase(first->first.id);
    events_.erase(first);
    if (frozen(event.node)) {
      frozen_events_.push_back(std::move(event));
      continue;
    }
    ++events_run_;
    last_node_ = event.node;
    event.task();
    event.task = nullptr;
    { auto dropped = std::exchange(dropped_tasks_, {}); }
    if (each_step_) each_step_();
    return true;
  }
  return false;
}

bool SimScheduler::RunUntil(const std::function<bool()>& done,
                            absl::Duration limit) {
  const absl::Time end = now_ + limit;
  while (!done()) {
    if (now_ > end || !Step()) return done();
  }
  return true;
}

bool SimScheduler::Drain(uint64_t max_events) {
  const uint64_t end = events_run_ + max_events;
  while (events_run_ < end) {
    if (!Step()) return true;
  }
  return false;
}

void SimExecutor::Post(Task task) {
  const absl::Duration delay =
      scheduler_->random(node_).Between(absl::ZeroDuration(), kMaxPostDelay);
  scheduler_->Schedule(node_, scheduler_->now() + delay, std::move(task));
}

TimerId SimExecutor::PostAt(absl::Time when, Task task) {
  return scheduler_->Schedule(node_, clock_.ToWorld(when), std::move(task));
}

absl::Time SimExecutor::DriftingClock::Now() const {
  return absl::UnixEpoch() + (world_->now() - absl::UnixEpoch()) * drift_;
}

// Rounds up, so that a timer never fires before its node's clock shows the
// time.
absl::Time SimExecutor::DriftingClock::ToWorld(absl::Time local) const {
  return absl::UnixEpoch() + (local - absl::UnixEpoch()) / drift_ +
         absl::Nanoseconds(1);
}

}  // namespace tributary
