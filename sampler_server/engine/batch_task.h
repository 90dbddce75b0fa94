// Makes one batch: inputs, then the steps of its kind, then gather, as a state
// machine that holds no thread while it waits for a peer or for a disk.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_TASK_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_TASK_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/batch/batch_key.h"
#include "common/runtime/byte_budget.h"
#include "common/runtime/cancel_token.h"
#include "common/runtime/cpu_meter.h"
#include "common/runtime/executor.h"
#include "common/session/link_columns.h"
#include "partition/format/graph.h"
#include "sampler_server/engine/batch/batch_stage.h"
#include "sampler_server/engine/batch/remote_partitions.h"
#include "sampler_server/engine/gather/row_reader.h"
#include "sampler_server/engine/plan/plan.h"

namespace tributary {

// What is to be made. The inputs are checked by the task.
struct BatchRequest {
  BatchKey key;
  std::shared_ptr<const SamplingPlan> plan;
  std::vector<int64_t> input_number;  // position in the input list
  std::vector<int64_t> original_id;   // as many; of links none
  LinkColumns links;                  // as many, where inputs are links
  std::vector<int64_t> input_time;    // as many, with InputTimeMode::kGiven
  uint64_t max_bytes = 0;             // of the room
  uint64_t reserved_bytes = 0;        // 0: TaskBytes()
  absl::Time deadline;
  CancelToken cancel;
};

// Where a task puts its batch and its end. Called on the task's strand;
// exactly one of Ready, Needs and Failed, last; none after a cancel. The room
// is written to until the last reference to the sink is gone.
class BatchSink {
 public:
  virtual ~BatchSink() = default;
  // Room of `bytes` <= max_bytes, 64-byte aligned, at once: the credit or the
  // reservation already stands for it.
  virtual absl::Span<uint8_t> AllocateRoom(size_t bytes) = 0;
  virtual void Ready(size_t bytes) = 0;
  // The batch is `bytes` > max_bytes (exact, or a lower bound when working
  // memory ran out first: the next try tells more), or it fits and its making
  // does not, for which `bytes` is what to try.
  virtual void Needs(size_t bytes) = 0;
  virtual void Failed(absl::Status why) = 0;
  virtual void StageChanged(BatchStage stage) = 0;
};

// What a task works with; all outlive it.
struct BatchEnvironment {
  const Graph* graph = nullptr;
  RemotePartitions* remote = nullptr;  // null: every partition must be here
  Executor* executor = nullptr;
  std::shared_ptr<CpuMeter> cpu = nullptr;  // of the task, if not null
  RowReader* rows = nullptr;  // null: the graph has its features in memory
};

// What a task may hold besides the request: while it samples, all of it is
// working memory; once the room is there, max_bytes of it are the room. Twice
// max_bytes, a little for each input, and half of max_bytes more where rows of
// edges are collected, and again where edges are mirrored. Enough for any batch
// of at most max_bytes, but for some whose edges' rows take less than 8 bytes
// and some of many empty edge types: those end in Needs, as others may for
// which less was reserved.
uint64_t TaskBytes(const GraphSchema& schema, const BatchRequest& request);

// Starts it; it keeps itself alive until its end. The caller has reserved
// request.reserved_bytes for it and gives them back when the sink has let go of
// the room. A batch that would take more ends in Needs.
void StartBatchTask(const BatchEnvironment& environment, BatchRequest request,
                    std::shared_ptr<BatchSink> sink);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_TASK_H_
