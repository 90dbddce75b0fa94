#include "sampler_server/engine/hop/hop.h"

#include "absl/strings/str_cat.h"
#include "common/session/limits.h"
#include "common/text/status.h"
#include "sampler_server/engine/hop/hop_draws.h"

namespace tributary {
namespace {

absl::Status CheckPerNode(const char* what, size_t size,
                          const HopQuery& query) {
  if (size == query.rows.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(size, " ", what, " for ", query.rows.size(), " rows"));
}

// An array beside the edges.
absl::Status CheckPerEdge(const char* what, size_t size,
                          const EdgePartition& edges) {
  if (size == edges.indices.size()) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(size, " ", what, " for ", edges.indices.size(), " edges"));
}

// An array that a draw needs and not every graph has.
absl::Status CheckOptional(const char* what, size_t size,
                           const EdgePartition& edges) {
  if (size == 0 && edges.indices.size() > 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("the edge type has no ", what));
  }
  return CheckPerEdge(what, size, edges);
}

absl::Status CheckTimes(const EdgePartition& edges, const HopQuery& query) {
  const bool own = query.time == TimeMode::kEdge;
  const TimeOrder& order = own ? edges.edge_time : edges.neighbor_time;
  RETURN_IF_ERROR(
      CheckPerNode("bounds in time", query.time_bound.size(), query));
  RETURN_IF_ERROR(CheckOptional(own ? "edge times" : "times of neighbours",
                                order.time.size(), edges));
  return CheckPerEdge("ranks in time", order.position.size(), edges);
}

const char* DrawName(DrawMode draw) {
  return draw == DrawMode::kLabor         ? "LABOR"
         : draw == DrawMode::kAcrossTypes ? "across_types"
                                          : "weighted";
}

absl::Status CheckAcrossTypes(const EdgePartition& edges,
                              const HopQuery& query) {
  if (query.predicate != nullptr || !query.excluded.empty()) {
    return absl::InvalidArgumentError(
        "draws across types take no predicate and no excluded edges");
  }
  for (const auto* types : {&query.others.before, &query.others.after}) {
    for (const EdgePartition* type : *types) {
      if (type->indptr.size() == edges.indptr.size()) continue;
      return absl::DataLossError(absl::StrCat(
          edges.indptr.size(), " entries of indptr, ", type->indptr.size(),
          " of another edge type of the same destinations: verify the graph"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckDraw(const EdgePartition& edges, const HopQuery& query) {
  const bool timed = query.time != TimeMode::kNone;
  if (timed && query.draw != DrawMode::kUniform) {
    return absl::InvalidArgumentError(absl::StrCat(
        DrawName(query.draw),
        " draws take no bounds in time; allowed with them: uniform, latest"));
  }
  if (timed) return CheckTimes(edges, query);
  switch (query.draw) {
    case DrawMode::kUniform:
      return absl::OkStatus();
    case DrawMode::kWeighted:
      return CheckOptional("weights", edges.weight_sum.size(), edges);
    case DrawMode::kLabor:
      if (query.replace) {
        return absl::InvalidArgumentError(
            "LABOR draws without replacement only");
      }
      return CheckOptional("neighbor_id", edges.neighbor_id.size(), edges);
    case DrawMode::kAcrossTypes:
      return CheckAcrossTypes(edges, query);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown draw ", static_cast<int>(query.draw)));
}

absl::Status CheckQuery(const EdgePartition& edges, const HopQuery& query) {
  if (query.fanout < -1 || query.fanout > kMaxFanout) {
    return absl::InvalidArgumentError(absl::StrCat(
        "fanout ", query.fanout, "; allowed: -1 (all) to ", kMaxFanout));
  }
  RETURN_IF_ERROR(
      CheckPerNode("local numbers", query.local_numbers.size(), query));
  if (!query.trees.empty()) {
    RETURN_IF_ERROR(CheckPerNode("trees", query.trees.size(), query));
  }
  RETURN_IF_ERROR(CheckPerEdge("edge ids", edges.edge_id.size(), edges));
  if (query.predicate != nullptr && edges.indices.size() > 0) {
    RETURN_IF_ERROR(query.predicate->CheckColumns(edges));
  }
  return CheckDraw(edges, query);
}

}  // namespace

void HopEdges::Clear() {
  counts.clear();
  neighbors.clear();
  edge_ids.clear();
  positions.clear();
  last_is_partial = false;
}

void HopEdges::ShrinkToFit() {
  counts.shrink_to_fit();
  neighbors.shrink_to_fit();
  edge_ids.shrink_to_fit();
  positions.shrink_to_fit();
}

absl::Status SampleHop(const EdgePartition& edges, uint64_t num_src_nodes,
                       const HopQuery& query, HopEdges* out) {
  out->Clear();
  RETURN_IF_ERROR(CheckQuery(edges, query));
  const HopSource source{edges, num_src_nodes, query};
  if (query.predicate != nullptr) return SampleByPredicate(source, out);
  if (query.time != TimeMode::kNone) return SampleTemporal(source, out);
  if (query.draw == DrawMode::kWeighted) return SampleWeighted(source, out);
  if (query.draw == DrawMode::kLabor) return SampleLabor(source, out);
  if (query.draw == DrawMode::kAcrossTypes) {
    return SampleAcrossTypes(source, out);
  }
  return SampleUniform(source, out);
}

}  // namespace tributary
