#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "sampler_server/engine/hop.h"
#include "sampler_server/service/digest_check.h"
#include "sampler_server/service/leaf_calls.h"
#include "sampler_server/service/leaf_checks.h"

namespace tributary {
namespace {

template <typename T>
uint8_t* Append(const std::vector<T>& values, uint8_t* to) {
  const size_t bytes = values.size() * sizeof(T);
  if (bytes > 0) std::memcpy(to, values.data(), bytes);
  return to + bytes;
}

// Most edges that the query can emit, before any cap.
uint64_t CountEdges(const EdgePartition& edges, const HopQuery& query) {
  uint64_t total = 0;
  for (uint64_t row : query.rows) {
    const uint64_t degree = edges.indptr[row + 1] - edges.indptr[row];
    const uint64_t fanout = static_cast<uint64_t>(query.fanout);
    if (query.fanout < 0) {
      total += degree;
    } else {
      total +=
          query.replace ? (degree == 0 ? 0 : fanout) : std::min(degree, fanout);
    }
  }
  return total - std::min(total, query.skip_edges);
}

// How many nodes and edges fit a reply: at least one of each, so that whoever
// asks again gets on.
absl::Status CapReply(uint64_t max_bytes, size_t edge_bytes, HopQuery* query) {
  constexpr size_t kCountBytes = sizeof(uint32_t);
  if (max_bytes < kCountBytes + edge_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_reply_bytes is ", max_bytes, "; one edge takes ",
                     kCountBytes + edge_bytes));
  }
  const uint64_t nodes =
      std::min({static_cast<uint64_t>(query->rows.size()),
                std::max<uint64_t>(1, max_bytes / (2 * kCountBytes)),
                (max_bytes - edge_bytes) / kCountBytes});
  query->rows = query->rows.first(nodes);
  query->local_numbers = query->local_numbers.first(nodes);
  query->max_edges = (max_bytes - nodes * kCountBytes) / edge_bytes;
  return absl::OkStatus();
}

LeafReply EncodeHop(const HopEdges& hop, Reservation reservation) {
  v1::SampleHopReply header;
  header.set_nodes(hop.counts.size());
  header.set_edges(hop.neighbors.size());
  header.set_last_is_partial(hop.last_is_partial);
  const size_t bytes =
      hop.counts.size() * sizeof(uint32_t) +
      (hop.neighbors.size() + hop.edge_ids.size() + hop.positions.size()) *
          sizeof(uint64_t);
  LeafReply reply{header.SerializeAsString(), AlignedBuffer(bytes),
                  std::move(reservation)};
  uint8_t* to = Append(hop.counts, reply.payload.data());
  to = Append(hop.neighbors, to);
  to = Append(hop.edge_ids, to);
  Append(hop.positions, to);
  return reply;
}

}  // namespace

absl::StatusOr<LeafReply> ServeSampleHop(const Graph& graph,
                                         const v1::SampleHopRequest& request,
                                         absl::Span<const uint8_t> payload,
                                         const LeafLimits& limits,
                                         ByteBudget& budget) {
  const GraphSchema& schema = graph.schema();
  RETURN_IF_ERROR(CheckLayoutDigest(schema, request.layout_digest()));
  RETURN_IF_ERROR(
      CheckIndex("edge type", request.edge_type(), schema.edge_types.size()));
  RETURN_IF_ERROR(
      CheckIndex("partition", request.partition(), schema.num_partitions));
  RETURN_IF_ERROR(CheckPayload(request.num_nodes(),
                               sizeof(uint32_t) + sizeof(uint64_t),
                               payload.size()));
  if (request.fanout() < -1) {
    return absl::InvalidArgumentError(
        absl::StrCat("fanout ", request.fanout(), "; -1 is all"));
  }
  const EdgeTypeSchema& type = schema.edge_types[request.edge_type()];
  const EdgePartition* edges =
      graph.edges(request.edge_type(), request.partition());
  if (edges == nullptr) return NotHere(graph, request.partition());

  const size_t n = request.num_nodes();
  const auto numbers = CopyArray<uint32_t>(payload, n);
  const auto rows =
      CopyArray<uint64_t>(payload.subspan(n * sizeof(uint32_t)), n);
  RETURN_IF_ERROR(CheckRows(rows, edges->indptr.size() - 1));
  HopQuery query;
  query.key = {request.key0(), request.key1()};
  query.fanout = request.fanout();
  query.replace = request.replace();
  query.want_positions = request.want_positions();
  query.local_numbers = numbers;
  query.rows = rows;
  query.skip_edges = request.skip_edges();
  const size_t edge_bytes =
      (request.want_positions() ? 3 : 2) * sizeof(uint64_t);
  RETURN_IF_ERROR(CapReply(
      std::min<uint64_t>(request.max_reply_bytes(), limits.max_reply_bytes),
      edge_bytes, &query));
  const uint64_t most_edges =
      std::min(CountEdges(*edges, query), query.max_edges);
  // Twice: as the kernel makes them and as they travel.
  ASSIGN_OR_RETURN(Reservation reservation,
                   budget.TryReserve(2 * (query.rows.size() * sizeof(uint32_t) +
                                          most_edges * edge_bytes)));
  HopEdges hop;
  RETURN_IF_ERROR(SampleHop(*edges, schema.node_types[type.src_type].num_nodes,
                            query, &hop));
  return EncodeHop(hop, std::move(reservation));
}

}  // namespace tributary
