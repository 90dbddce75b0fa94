// The data, limits and control that a batch task gives to its steps.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_STEP_CONTEXT_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_STEP_CONTEXT_H_

#include <memory>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/batch/batch_key.h"
#include "common/runtime/cancel_token.h"
#include "common/runtime/executor.h"
#include "common/runtime/stop_check.h"
#include "partition/format/graph.h"
#include "partition/format/hot_cache.h"
#include "sampler_server/engine/batch/batch_stage.h"
#include "sampler_server/engine/batch/batch_state.h"
#include "sampler_server/engine/batch/engine_metrics.h"
#include "sampler_server/engine/batch/remote_partitions.h"
#include "sampler_server/engine/gather/row_reader.h"
#include "sampler_server/engine/plan/plan.h"

namespace tributary {

class PeerCalls;

// The limits of a step.
struct StepLimits {
  uint64_t edges = 0;          // most edges that the step may find
  uint64_t working_bytes = 0;  // most that the task may hold, with its state
  uint64_t max_bytes = 0;      // most bytes of the batch
};

// The task as its steps see it. Call on the task's strand.
class TaskControl {
 public:
  virtual ~TaskControl() = default;
  // Returns whether the task goes on. If it was cancelled or is past its
  // deadline, ends it. A step calls this first in each turn on the strand; on
  // false it must return without touching the task.
  virtual bool ContinueOrEnd() = 0;
  virtual void SetStage(BatchStage stage) = 0;
  // Returns the limits of a step that starts now.
  virtual StepLimits Limits() const = 0;
};

// Copied into each step. `control` keeps the task, and with it `state`, alive;
// the other pointers and spans outlive the task.
struct StepContext {
  const Graph* graph = nullptr;
  RemotePartitions* remote = nullptr;  // null: no peers
  RowReader* rows = nullptr;           // null: features are in memory
  const HotCache* hot = nullptr;       // rows of other partitions; may be null
  const EngineMetrics* metrics = nullptr;     // null: not counted
  const TrainerRows* trainer_rows = nullptr;  // null: none are left out
  const SamplingPlan* plan = nullptr;
  BatchKey key;
  absl::Span<const int64_t> input_number;  // of each input, in the input list
  const LinkColumns* links = nullptr;      // the inputs, if they are links
  BatchState* state = nullptr;
  std::shared_ptr<TaskControl> control;
  std::shared_ptr<Strand> strand;
  absl::Time deadline;
  CancelToken cancel;
  std::shared_ptr<PeerCalls> calls;  // null: calls to peers are not logged
  // Says when long loops of the task should stop: it was cancelled, or is past
  // its deadline. `control` keeps it alive; null: never.
  StopCheck* stop = nullptr;

  // Counts work of a loop in a step. Returns true if the task has ended: return
  // then, as after ContinueOrEnd.
  bool EndsAfter(uint64_t work) const {
    return ShouldStop(stop, work) && !control->ContinueOrEnd();
  }
  RemotePartitions::Limits LimitsFor(uint64_t max_reply_bytes) const {
    return {deadline, max_reply_bytes, cancel, calls};
  }
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_STEP_CONTEXT_H_
