// Answers the leaf calls of peers from the partitions of this server: hops,
// gathered rows, questions of sampling kinds.
//
// Each is a pure function of the graph and the request, thread-safe, and
// validates all of its input. None of them blocks, reads a file or makes a
// call. Common errors: NOT_FOUND with the partitions that are here, when the
// partition is not; OUT_OF_RANGE for a row beyond the partition;
// INVALID_ARGUMENT for sizes and indices; RESOURCE_EXHAUSTED when `budget`, the
// stream's share of one, is full at the moment; CANCELLED and DEADLINE_EXCEEDED
// of `limits.stop`. The caller has found `graph` by the request's layout digest
// (graph_catalog.h).
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_LEAF_LEAF_CALLS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_LEAF_LEAF_CALLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/io/buffer.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/shared_budget.h"
#include "common/runtime/stop_check.h"
#include "partition/format/graph.h"
#include "sampler_server/engine/gather/gather.h"

namespace tributary {

// The part of a reply that has to be read from files before it is sent: `rows`
// of each column.
struct UnreadRows {
  struct Column {
    const RowFile* file = nullptr;
    RowForm form;   // in the reply
    size_t at = 0;  // offset of its rows in the payload
  };
  std::vector<Column> columns;  // empty: the reply is complete
  std::vector<uint64_t> rows;
  uint64_t timeout_ms = 0;  // of the request
};

// The reply to a leaf request. The bytes of `payload` stay reserved as long as
// it lives.
struct LeafReply {
  std::string header;  // serialized SampleHopReply, GatherReply, QuestionReply
  AlignedBuffer payload;
  BudgetShare::Hold reservation;
  UnreadRows unread;
};

struct LeafLimits {
  // The limit of a reply's payload. A request may ask for less, not for more.
  size_t max_reply_bytes = 4u << 20;
  // Edges that SampleHop looks at before it replies with the nodes that are
  // complete, so that no request holds a thread for long: some 0.2 s.
  uint64_t max_work = uint64_t{1} << 26;
  // Set for each call; null: it runs to its end.
  StopCheck* stop = nullptr;
};

// Samples neighbours of the nodes in `payload` (see SampleHopRequest). A reply
// that would exceed max_reply_bytes is cut; the caller continues it with
// another request. FAILED_PRECONDITION when the edge type lacks what the draw
// needs.
absl::StatusOr<LeafReply> ServeSampleHop(const Graph& graph,
                                         const v1::SampleHopRequest& request,
                                         absl::Span<const uint8_t> payload,
                                         const LeafLimits& limits,
                                         BudgetShare& budget);

// A gather that has begun: its reply has room for all rows, and the columns in
// files are listed in LeafReply::unread, beside the rows.
struct BegunGather {
  struct Column {
    RowTable table;
    RowForm form;
    size_t at = 0;  // offset of its rows in the payload
  };
  LeafReply reply;
  std::vector<Column> columns;  // in memory
  size_t row_bytes = 0;         // of all columns, in the reply

  size_t num_rows() const { return reply.unread.rows.size(); }
  // Copies rows `from` to `to` of the request to the reply.
  void Copy(size_t from, size_t to);
  // Returns the reply, which is complete but for rows in files.
  LeafReply Finish();
};

// Finds the rows of columns, features in the requested precision; as many of
// the first rows as fit max_reply_bytes.
absl::StatusOr<BegunGather> BeginGather(const Graph& graph,
                                        const v1::GatherRequest& request,
                                        absl::Span<const uint8_t> payload,
                                        const LeafLimits& limits,
                                        BudgetShare& budget);

// Copies them all.
absl::StatusOr<LeafReply> ServeGather(const Graph& graph,
                                      const v1::GatherRequest& request,
                                      absl::Span<const uint8_t> payload,
                                      const LeafLimits& limits,
                                      BudgetShare& budget);

// Answers a question of a registered type (QuestionType::Answer); errors as
// above, and UNIMPLEMENTED for a type that this program does not have.
absl::StatusOr<LeafReply> ServeQuestion(const Graph& graph,
                                        const v1::QuestionRequest& request,
                                        absl::Span<const uint8_t> payload,
                                        const LeafLimits& limits,
                                        BudgetShare& budget);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_LEAF_LEAF_CALLS_H_
