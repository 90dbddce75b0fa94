// What the steps of a batch task share.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_STEP_CONTEXT_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_STEP_CONTEXT_H_

#include <memory>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/batch/batch_key.h"
#include "common/runtime/cancel_token.h"
#include "common/runtime/executor.h"
#include "partition/format/graph.h"
#include "sampler_server/engine/batch/batch_stage.h"
#include "sampler_server/engine/batch/batch_state.h"
#include "sampler_server/engine/batch/remote_partitions.h"
#include "sampler_server/engine/gather/row_reader.h"
#include "sampler_server/engine/plan/plan.h"

namespace tributary {

// What a step may take.
struct StepLimits {
  uint64_t edges = 0;          // that it may find
  uint64_t working_bytes = 0;  // that the task may hold, its state included
  uint64_t max_bytes = 0;      // of the batch
};

// The task as its steps see it. On the task's strand.
class TaskControl {
 public:
  virtual ~TaskControl() = default;
  // False when the task has ended, was cancelled or is past its deadline (it
  // ends then): touch nothing of it and return.
  virtual bool ContinueOrEnd() = 0;
  virtual void SetStage(BatchStage stage) = 0;
  // For a step that starts now.
  virtual StepLimits Limits() const = 0;
};

// `control` owns `state` and outlives the step; both are the task.
struct StepContext {
  const Graph* graph = nullptr;
  RemotePartitions* remote = nullptr;
  RowReader* rows = nullptr;
  const SamplingPlan* plan = nullptr;
  BatchKey key;
  absl::Span<const int64_t> input_number;  // per input, its place in the list
  const LinkColumns* links = nullptr;      // the inputs, where they are links
  BatchState* state = nullptr;
  std::shared_ptr<TaskControl> control;
  std::shared_ptr<Strand> strand;
  absl::Time deadline;
  CancelToken cancel;

  RemotePartitions::Limits LimitsFor(uint64_t max_reply_bytes) const {
    return {deadline, max_reply_bytes, cancel};
  }
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_STEP_CONTEXT_H_
