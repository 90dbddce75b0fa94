// The CPU of a simulated server: tasks cost time on a number of cores.
#ifndef TRIBUTARY_SAMPLER_SERVER_TESTING_SIM_CORES_H_
#define TRIBUTARY_SAMPLER_SERVER_TESTING_SIM_CORES_H_

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "common/runtime/executor.h"
#include "common/testing/sim_scheduler.h"

namespace tributary {

// Runs tasks on a node, as SimExecutor does, but no more at once than there are
// cores. A task that is measured by a CpuMeter of Clock(), as the steps of
// batches are, keeps its core busy for kTaskCpu of virtual time after it has
// run; the others wait. All other tasks cost nothing. With a meter, a task
// takes as long as the meter has grown meanwhile.
//
// Tasks that wait are events of the node: they end when it crashes, and wait
// while it is frozen.
class SimCores final : public Executor {
 public:
  // Of each task, so that a batch costs what its steps do.
  static constexpr absl::Duration kTaskCpu = absl::Microseconds(600);

  using Meter = std::function<absl::Duration()>;

  // `node` outlives it and all tasks. Requires cores >= 1.
  SimCores(SimExecutor* node, int cores, Meter meter = nullptr)
      : node_(node),
        meter_(std::move(meter)),
        free_at_(cores, absl::InfinitePast()) {}

  // Returns the CPU time that measured tasks have used so far, in all: each
  // that reads it, when it begins and when it ends, is charged kTaskCpu.
  static absl::Duration CpuClock();

  const Clock& clock() const override { return node_->clock(); }
  void Post(Task task) override;
  TimerId PostAt(absl::Time when, Task task) override;
  bool CancelTimer(TimerId id) override { return node_->CancelTimer(id); }

 private:
  // Runs `task` once a core is free.
  void Run(Task task);

  absl::Duration Spent() const;

  SimExecutor* const node_;
  const Meter meter_;                // null: of CpuClock
  std::vector<absl::Time> free_at_;  // of each core, by the world's time
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TESTING_SIM_CORES_H_
