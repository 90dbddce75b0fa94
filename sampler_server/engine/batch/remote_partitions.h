// The engine's interface to the partitions that other servers hold.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_REMOTE_PARTITIONS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_REMOTE_PARTITIONS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/io/buffer.h"
#include "common/runtime/cancel_token.h"
#include "common/runtime/executor.h"
#include "common/session/feature_dtype.h"
#include "sampler_server/engine/batch/question_type.h"
#include "sampler_server/engine/hop/excluded_edges.h"
#include "sampler_server/engine/hop/hop.h"

namespace tributary {

class PeerCalls;

// A hop request to one partition. Owns its arrays: it outlives the call.
struct RemoteHop {
  uint32_t edge_type = 0;
  uint32_t partition = 0;
  DrawRule rule;
  std::vector<uint32_t> local_numbers;
  std::vector<uint64_t> rows;
  std::vector<uint32_t> trees;      // as HopQuery::trees; may be empty
  std::vector<int64_t> time_bound;  // as HopQuery::time_bound; may be empty
  ExcludedEdges excluded;           // its nodes are rows of the partition
};

// A request for columns of rows of one partition: of nodes any of orig_id, x, y
// and time; of edges edge_attr and weight.
struct RemoteGather {
  enum class Table { kNodes, kEdges };
  Table table = Table::kNodes;
  uint32_t type = 0;  // node or edge type
  uint32_t partition = 0;
  bool orig_id = false, x = false, y = false, time = false;
  bool edge_attr = false, weight = false;
  // The type that x and edge_attr are converted to.
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
  // Checks an answer, on the strand, before `done` gets it. After an error
  // another owner is asked. May be empty; then any answer is taken.
  std::function<absl::Status(absl::Span<const uint8_t> answer)> check;
};

// The columns of a RemoteGather, a value for each row in the order asked, as
// they lie in `memory`, at any address. Those not asked for are empty.
struct GatheredRows {
  using Bytes = absl::Span<const uint8_t>;
  Bytes orig_id, time;  // int64
  Bytes x, y, edge_attr, weight;
  Bytes x_scale, edge_attr_scale;  // float32, if converted to int8
  AlignedBuffer memory;
};

// Asks the owners of partitions that are not on this server. Retries another
// owner, and the same again with back-off, until `deadline`; then UNAVAILABLE
// names the partition, its owners and the last error. `done` runs once, on
// `strand`, never inside the call; after `cancel` it may not run at all.
// Results are complete: partial replies have been continued. Thread-safe.
class RemotePartitions {
 public:
  struct Limits {
    absl::Time deadline;
    uint64_t max_reply_bytes = 0;  // of SampleHop; the others ignore it
    CancelToken cancel;
    std::shared_ptr<PeerCalls> calls;  // that log each; null: nobody asks
  };
  virtual ~RemotePartitions() = default;
  // A hop whose edges (BytesPerEdge of the rule) would exceed `max_reply_bytes`
  // is cut short, as SampleHop of hop.h cuts at max_edges:
  // fewer counts, or last_is_partial. Such a reply has at least that many bytes
  // less one edge's.
  virtual void SampleHop(
      RemoteHop hop, const Limits& limits, std::shared_ptr<Strand> strand,
      absl::AnyInvocable<void(absl::StatusOr<HopEdges>)> done) = 0;
  virtual void Gather(
      RemoteGather gather, const Limits& limits, std::shared_ptr<Strand> strand,
      absl::AnyInvocable<void(absl::StatusOr<GatheredRows>)> done) = 0;
  // The reply has exactly `answer_bytes`.
  virtual void Ask(
      PartitionQuestion question, const Limits& limits,
      std::shared_ptr<Strand> strand,
      absl::AnyInvocable<void(absl::StatusOr<AlignedBuffer>)> done) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_REMOTE_PARTITIONS_H_
