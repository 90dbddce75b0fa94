#include "sampler_server/testing/sim_cores.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tributary {
namespace {

// How often CpuClock was read: twice by each task that is measured.
thread_local int64_t clock_reads = 0;

}  // namespace

absl::Duration SimCores::CpuClock() { return kTaskCpu * clock_reads++; }

void SimCores::Post(Task task) {
  node_->Post(
      [this, task = std::move(task)]() mutable { Run(std::move(task)); });
}

TimerId SimCores::PostAt(absl::Time when, Task task) {
  return node_->PostAt(
      when, [this, task = std::move(task)]() mutable { Run(std::move(task)); });
}

void SimCores::Run(Task task) {
  SimScheduler* const world = node_->scheduler();
  absl::Time& free_at = *std::min_element(free_at_.begin(), free_at_.end());
  if (free_at > world->now()) {
    world->Schedule(
        node_->node(), free_at,
        [this, task = std::move(task)]() mutable { Run(std::move(task)); });
    return;
  }
  const absl::Duration before = Spent();
  task();
  task = nullptr;
  free_at = world->now() + (Spent() - before);
}

absl::Duration SimCores::Spent() const {
  return meter_ ? meter_() : kTaskCpu * (clock_reads / 2);
}

}  // namespace tributary
