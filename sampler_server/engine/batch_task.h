// Makes one batch: numbers the inputs, runs the steps of its kind of sampling,
// then gathers rows. A state machine: it holds no thread while it waits for a
// peer or a disk.
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
#include "common/batch/left_out.h"
#include "common/runtime/byte_budget.h"
#include "common/runtime/cancel_token.h"
#include "common/runtime/cpu_meter.h"
#include "common/runtime/executor.h"
#include "common/session/link_columns.h"
#include "partition/format/graph.h"
#include "partition/format/hot_cache.h"
#include "sampler_server/engine/batch/batch_stage.h"
#include "sampler_server/engine/batch/engine_metrics.h"
#include "sampler_server/engine/batch/remote_partitions.h"
#include "sampler_server/engine/gather/left_out_nodes.h"
#include "sampler_server/engine/gather/row_reader.h"
#include "sampler_server/engine/plan/plan.h"

namespace tributary {

class PeerCalls;

// The batch to make. The task checks the inputs.
struct BatchRequest {
  BatchKey key;
  std::shared_ptr<const SamplingPlan> plan;
  std::vector<int64_t> input_number;  // of each input, in the input list
  std::vector<int64_t> original_id;   // of each input; empty for links
  LinkColumns links;                  // of each input, if inputs are links
  std::vector<int64_t> input_time;  // of each input, with InputTimeMode::kGiven
  uint64_t max_bytes = 0;           // of the room
  uint64_t reserved_bytes = 0;      // 0: TaskBytes()
  // Rows that need not be sent; null: the whole batch is made.
  std::shared_ptr<const TrainerRows> trainer_rows;
  // The receiver expands compact edges: they are made where they are smaller.
  bool compact = false;
  absl::Time deadline;
  CancelToken cancel;
};

// Receives a task's batch and its result. Called on the task's strand: one of
// Ready, Needs and Failed, once, as the last call; no call after a cancel. The
// room may be written to until the last reference to the sink is gone.
class BatchSink {
 public:
  virtual ~BatchSink() = default;
  // Returns room of `bytes` <= max_bytes, 64-byte aligned. Must not wait: the
  // credit or the reservation already stands for it.
  virtual absl::Span<uint8_t> AllocateRoom(size_t bytes) = 0;
  // The batch of `bytes` is in the room, without what is left out.
  virtual void Ready(size_t bytes, LeftOut left_out) = 0;
  // The batch was not made. Either it has `bytes` > max_bytes; that is exact,
  // or a lower bound if working memory ran out first, and the next try tells
  // more. Or it would fit, but working memory did not suffice to make it; then
  // `bytes` is the max_bytes to try.
  virtual void Needs(size_t bytes) = 0;
  // Also in place of the others if bytes of the graph were lost meanwhile.
  virtual void Failed(absl::Status why) = 0;
  virtual void StageChanged(BatchStage stage) = 0;
};

// The services that a task uses. All pointers outlive it.
struct BatchEnvironment {
  const Graph* graph = nullptr;
  RemotePartitions* remote = nullptr;  // null: all partitions are in the graph
  Executor* executor = nullptr;
  std::shared_ptr<CpuMeter> cpu = nullptr;  // of this task; may be null
  RowReader* rows = nullptr;      // null: the graph has its features in memory
  const HotCache* hot = nullptr;  // rows of other partitions; may be null
  const EngineMetrics* metrics = nullptr;      // null: not counted
  std::shared_ptr<PeerCalls> calls = nullptr;  // null: they are not logged
};

// Returns the bytes that a task may hold besides the request: working memory
// while it samples; then max_bytes of it are the room. That is twice max_bytes,
// a little for each input and for each edge type with degrees, half of
// max_bytes more if rows of edges are collected, as much again if edges are
// mirrored, and as much again, or four times that if edges are mirrored, if the
// batch has no e_id. Enough for any batch of at most max_bytes, except some
// whose rows of edges take less than 8 bytes and some with many empty edge
// types; these end in Needs, as do batches for which less was reserved.
uint64_t TaskBytes(const GraphSchema& schema, const BatchRequest& request);

// Starts a task, which keeps itself alive until its end. The caller has
// reserved request.reserved_bytes and releases them once the sink has released
// the room. A batch that would need more memory ends in Needs.
void StartBatchTask(const BatchEnvironment& environment, BatchRequest request,
                    std::shared_ptr<BatchSink> sink);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_TASK_H_
