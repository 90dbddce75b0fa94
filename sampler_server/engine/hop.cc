#include "sampler_server/engine/hop.h"

#include "absl/strings/str_cat.h"
#include "common/session/limits.h"
#include "common/status.h"
#include "sampler_server/engine/hop_draws.h"

namespace tributary {
namespace {

absl::Status CheckIsBuilt(const HopQuery& query) {
  const char* field = nullptr;
  if (query.draw == Draw::kLabor) field = "draw kLabor";
  if (query.time != TimeColumn::kNone) field = "time";
  if (field == nullptr) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("HopQuery::", field, " is not built yet"));
}

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

absl::Status CheckDraw(const EdgePartition& edges, const HopQuery& query) {
  if (query.draw == Draw::kWeighted) {
    return CheckOptional("weights", edges.weight_sum.size(), edges);
  }
  return absl::OkStatus();
}

absl::Status CheckQuery(const EdgePartition& edges, const HopQuery& query) {
  RETURN_IF_ERROR(CheckIsBuilt(query));
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
  if (query.draw == Draw::kWeighted) return SampleWeighted(source, out);
  return SampleUniform(source, out);
}

}  // namespace tributary
