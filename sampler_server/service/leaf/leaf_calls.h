// What peers ask of the partitions here: draws and rows. Pure functions of the
// graph and the request; they believe nothing, wait for nothing and ask no one.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_LEAF_LEAF_CALLS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_LEAF_LEAF_CALLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/io/buffer.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/byte_budget.h"
#include "partition/format/graph.h"
#include "sampler_server/engine/gather/gather.h"

namespace tributary {

// Rows of columns that lie in files: to be read into a reply's payload before
// it is sent.
struct UnreadRows {
  struct Column {
    const RowFile* file = nullptr;
    RowForm form;
    size_t at = 0;  // of the payload
  };
  std::vector<Column> columns;  // empty: nothing is missing
  std::vector<uint64_t> rows;
  uint64_t timeout_ms = 0;  // the request's
};

// The answer to a leaf request. Its payload lies in `payload`, whose bytes
// stay reserved as long as it lives.
struct LeafReply {
  std::string header;  // serialized SampleHopReply, GatherReply, AskKindReply
  AlignedBuffer payload;
  Reservation reservation;
  UnreadRows unread;
};

struct LeafLimits {
  size_t max_reply_bytes = 4u << 20;  // whatever the caller allows
};

// Draws neighbours; `payload` as SampleHopRequest says. A reply that would
// exceed max_reply_bytes is cut, for the caller to go on from. The request's
// digest is what `graph` was found by (graph_catalog.h). Errors: NOT_FOUND (the
// partition is not here; those that are), OUT_OF_RANGE (a row),
// INVALID_ARGUMENT (sizes, indices), RESOURCE_EXHAUSTED (`budget` is full now:
// ask again).
absl::StatusOr<LeafReply> ServeSampleHop(const Graph& graph,
                                         const v1::SampleHopRequest& request,
                                         absl::Span<const uint8_t> payload,
                                         const LeafLimits& limits,
                                         ByteBudget& budget);

// Copies rows of columns that are in memory, features in the precision asked
// for, and names the others; errors as above.
absl::StatusOr<LeafReply> ServeGather(const Graph& graph,
                                      const v1::GatherRequest& request,
                                      absl::Span<const uint8_t> payload,
                                      const LeafLimits& limits,
                                      ByteBudget& budget);

// Answers a question of a registered type (QuestionType::Answer); errors as
// above, and UNIMPLEMENTED for a type that this program does not have.
absl::StatusOr<LeafReply> ServeAskKind(const Graph& graph,
                                       const v1::AskKindRequest& request,
                                       absl::Span<const uint8_t> payload,
                                       const LeafLimits& limits,
                                       ByteBudget& budget);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_LEAF_LEAF_CALLS_H_
