// Partitions that other servers hold, as the engine sees them.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_REMOTE_PARTITIONS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_REMOTE_PARTITIONS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/io/buffer.h"
#include "common/runtime/cancel_token.h"
#include "common/runtime/executor.h"
#include "common/session/feature_dtype.h"
#include "sampler_server/engine/batch/question_type.h"
#include "sampler_server/engine/hop/excluded_edges.h"
#include "sampler_server/engine/hop/hop.h"

namespace tributary {

// A hop request that owns its arrays, for it outlives the caller's frame.
struct RemoteHop {
  uint32_t edge_type = 0;
  uint32_t partition = 0;
  DrawRule rule;
  std::vector<uint32_t> local_numbers;
  std::vector<uint64_t> rows;
  std::vector<uint32_t> trees;      // as HopQuery's; or empty
  std::vector<int64_t> time_bound;  // as HopQuery's; or empty
  ExcludedEdges excluded;           // nodes are rows of the partition
};

// Which columns of a table; orig_id first, then x, y, time; edge_attr alone.
struct RemoteGather {
  enum class Table { kNodes, kEdges };
  Table table = Table::kNodes;
  uint32_t type = 0;  // node or edge type
  uint32_t partition = 0;
  bool orig_id = false, x = false, y = false, time = false, edge_attr = false;
  // What x and edge_attr come as.
  FeatureDType feature_dtype = FeatureDType::kStored;
  std::vector<uint64_t> rows;
};

// A question about one partition; `message` and `payload` as its type defines.
struct PartitionQuestion {
  const QuestionType* type = nullptr;  // not null once it is asked
  uint32_t partition = 0;
  std::string message;           // serialized
  std::vector<uint8_t> payload;  // at most kMaxQuestionBytes
  size_t answer_bytes = 0;       // exactly; at most kMaxQuestionBytes
};

// Columns by row, in the order asked; those not asked for are empty.
struct GatheredRows {
  std::vector<int64_t> orig_id, time;
  AlignedBuffer x, y, edge_attr;
  AlignedBuffer x_scale, edge_attr_scale;  // of rows that became int8
};

// Asks owners for what is not here. Retries another owner, and the same again
// with back-off, until `deadline`; then UNAVAILABLE names the partition, its
// owners and the last error. `done` runs once, on `strand`, never inside the
// call; after `cancel` it may not run at all. Results are complete: partial
// replies have been continued. But a hop whose neighbours, edge ids and
// positions (8 bytes each) would take more than `max_reply_bytes` comes cut
// short, as SampleHop cuts at max_edges: fewer counts, or last_is_partial; at
// least that many bytes less one edge's are there. A gather's size is known to
// who asks. Thread-safe.
class RemotePartitions {
 public:
  struct Limits {
    absl::Time deadline;
    uint64_t max_reply_bytes = 0;
    CancelToken cancel;
  };
  virtual ~RemotePartitions() = default;
  virtual void SampleHop(
      RemoteHop hop, const Limits& limits, std::shared_ptr<Strand> strand,
      absl::AnyInvocable<void(absl::StatusOr<HopEdges>)> done) = 0;
  virtual void Gather(
      RemoteGather gather, const Limits& limits, std::shared_ptr<Strand> strand,
      absl::AnyInvocable<void(absl::StatusOr<GatheredRows>)> done) = 0;
  // Limits::max_reply_bytes does not matter here.
  virtual void Ask(
      PartitionQuestion question, const Limits& limits,
      std::shared_ptr<Strand> strand,
      absl::AnyInvocable<void(absl::StatusOr<AlignedBuffer>)> done) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_REMOTE_PARTITIONS_H_
