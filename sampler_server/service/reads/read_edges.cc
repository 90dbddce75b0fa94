#include <algorithm>

#include "absl/strings/str_cat.h"
#include "partition/format/row_ends.h"
#include "sampler_server/service/reads/graph_reads.h"
#include "sampler_server/service/reads/reply_of.h"

namespace tributary {
namespace {

// Finds the partition of a request's edge type.
template <typename Request>
absl::StatusOr<const EdgePartition*> EdgesOf(const Graph& graph,
                                             const Request& request) {
  const GraphSchema& schema = graph.schema();
  RETURN_IF_ERROR(
      CheckIndex("edge type", request.edge_type(), schema.edge_types.size()));
  RETURN_IF_ERROR(
      CheckIndex("partition", request.partition(), schema.num_partitions));
  const EdgePartition* edges =
      graph.edges(static_cast<int>(request.edge_type()), request.partition());
  if (edges == nullptr) return NotHere(graph, request.partition());
  return edges;
}

absl::StatusOr<ItemRead> OutDegrees(const Graph& graph,
                                    const v1::NodeDegreesRequest& request,
                                    absl::Span<const uint8_t> payload,
                                    const LeafLimits& limits,
                                    BudgetShare& budget) {
  const GraphSchema& schema = graph.schema();
  RETURN_IF_ERROR(
      CheckIndex("edge type", request.edge_type(), schema.edge_types.size()));
  const EdgeTypeSchema& type = schema.edge_types[request.edge_type()];
  const DegreeArrays* degrees =
      graph.degrees(static_cast<int>(request.edge_type()));
  if (degrees == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        "graph '", schema.name, "' stores no out-degrees of ", type.name(),
        "; partition it with --degrees (tributary partition --degrees)"));
  }
  ASSIGN_OR_RETURN(auto ids, ItemsOf<int64_t>(request.num_nodes(), payload));
  ASSIGN_OR_RETURN(LeafReply reply,
                   ReplyOf(ids.size(), sizeof(uint64_t), limits, budget));
  auto* const out = reinterpret_cast<uint64_t*>(reply.payload.data());
  const size_t num_ids = ids.size();
  return ItemRead(
      std::move(reply), num_ids, kRandomAccess,
      [degrees, out, ids = std::move(ids)](
          size_t from, size_t to, WorkSlice&) -> absl::StatusOr<size_t> {
        for (size_t i = from; i < to; ++i) {
          const auto id = static_cast<uint64_t>(ids[i]);
          if (id >= degrees->out.size()) {
            return absl::OutOfRangeError(
                absl::StrCat("there is no node ", ids[i], "; ids are 0 to ",
                             degrees->out.size(), " - 1"));
          }
          out[i] = degrees->out[id];
        }
        return to - from;
      });
}

}  // namespace

absl::StatusOr<ItemRead> BeginFindEdges(const Graph& graph,
                                        const v1::FindEdgesRequest& request,
                                        absl::Span<const uint8_t> payload,
                                        const LeafLimits& limits,
                                        BudgetShare& budget) {
  ASSIGN_OR_RETURN(const EdgePartition* edges, EdgesOf(graph, request));
  const EdgeTypeSchema& type = graph.schema().edge_types[request.edge_type()];
  const auto nodes = graph.nodes(type.dst_type, request.partition())->orig_id;
  ASSIGN_OR_RETURN(auto positions,
                   ItemsOf<uint64_t>(request.num_edges(), payload));
  RETURN_IF_ERROR(CheckRows(positions, edges->indices.size()));
  ASSIGN_OR_RETURN(
      LeafReply reply,
      ReplyOf(positions.size(), 2 * sizeof(uint64_t), limits, budget));
  auto* const sources = reinterpret_cast<uint64_t*>(reply.payload.data());
  auto* const destinations =
      reinterpret_cast<int64_t*>(sources + positions.size());
  const auto indptr = edges->indptr;
  const size_t num_edges = positions.size();
  return ItemRead(
      std::move(reply), num_edges, kBinarySearch,
      [edges, indptr, nodes, sources, destinations,
       positions = std::move(positions)](size_t from, size_t to,
                                         WorkSlice&) -> absl::StatusOr<size_t> {
        for (size_t i = from; i < to; ++i) {
          sources[i] = edges->indices[positions[i]];
          const auto end =
              std::upper_bound(indptr.begin(), indptr.end(), positions[i]);
          const auto row = static_cast<uint64_t>(end - indptr.begin() - 1);
          if (row >= nodes.size()) {  // the file was lost
            return absl::DataLossError(absl::StrCat(
                "no row has position ", positions[i], ": verify the graph"));
          }
          destinations[i] = nodes[row];
        }
        return to - from;
      });
}

absl::StatusOr<ItemRead> BeginNodeDegrees(const Graph& graph,
                                          const v1::NodeDegreesRequest& request,
                                          absl::Span<const uint8_t> payload,
                                          const LeafLimits& limits,
                                          BudgetShare& budget) {
  if (request.out()) {
    return OutDegrees(graph, request, payload, limits, budget);
  }
  ASSIGN_OR_RETURN(const EdgePartition* edges, EdgesOf(graph, request));
  ASSIGN_OR_RETURN(auto rows, ItemsOf<uint64_t>(request.num_nodes(), payload));
  RETURN_IF_ERROR(CheckRows(rows, edges->indptr.size() - 1));
  ASSIGN_OR_RETURN(LeafReply reply,
                   ReplyOf(rows.size(), sizeof(uint64_t), limits, budget));
  auto* const degrees = reinterpret_cast<uint64_t*>(reply.payload.data());
  const size_t num_rows = rows.size();
  return ItemRead(
      std::move(reply), num_rows, kRandomAccess,
      [edges, degrees, rows = std::move(rows)](
          size_t from, size_t to, WorkSlice&) -> absl::StatusOr<size_t> {
        for (size_t i = from; i < to; ++i) {
          const RowEnds ends = ReadRowEnds(edges->indptr, rows[i]);
          degrees[i] = ends.end - ends.begin;
        }
        return to - from;
      });
}

}  // namespace tributary
