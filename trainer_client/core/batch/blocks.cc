#include "trainer_client/core/batch/blocks.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/core/batch/hetero_batch.h"

namespace tributary {
namespace {

// Rows [begin, begin + count) of a tensor that has them.
std::optional<TensorView> Rows(const std::optional<TensorView>& tensor,
                               size_t begin, size_t count) {
  if (!tensor.has_value()) return std::nullopt;
  TensorView rows = *tensor;
  const size_t row_bytes =
      tensor->data.size() / std::max<size_t>(1, tensor->shape[0]);
  rows.shape[0] = static_cast<int64_t>(count);
  rows.data = tensor->data.subspan(begin * row_bytes, count * row_bytes);
  return rows;
}

// Sums of the first 0, 1, ... counts, the last of which is `total`.
absl::StatusOr<std::vector<size_t>> Ends(absl::Span<const int64_t> counts,
                                         size_t total,
                                         const std::string& type) {
  std::vector<size_t> ends = {0};
  for (int64_t count : counts) {
    if (count < 0 || static_cast<uint64_t>(count) > total - ends.back()) break;
    ends.push_back(ends.back() + static_cast<size_t>(count));
  }
  if (ends.size() == counts.size() + 1 && ends.back() == total) return ends;
  return absl::DataLossError(absl::StrCat("the counts per hop of ", type,
                                          " do not sum up to its ", total));
}

absl::Status AddNodes(const std::string& type, const HeteroNodes& nodes,
                      std::vector<Block>& blocks) {
  ASSIGN_OR_RETURN(const std::vector<size_t> ends,
                   Ends(nodes.num_sampled_nodes, nodes.n_id.size(), type));
  if (ends.size() != blocks.size() + 2) {
    return absl::DataLossError(
        absl::StrCat("node type ", type, " has counts of ", ends.size() - 2,
                     " hops, edges have ", blocks.size()));
  }
  for (size_t hop = 0; hop < blocks.size(); ++hop) {
    blocks[blocks.size() - 1 - hop].nodes[type] = {
        nodes.n_id.first(ends[hop + 2]), nodes.n_id.first(ends[hop + 1])};
  }
  return absl::OkStatus();
}

absl::Status AddEdges(const std::string& type, const HeteroEdges& edges,
                      std::vector<Block>& blocks) {
  ASSIGN_OR_RETURN(const std::vector<size_t> ends,
                   Ends(edges.num_sampled_edges, edges.src.size(), type));
  for (size_t hop = 0; hop + 1 < ends.size(); ++hop) {
    const size_t begin = ends[hop], count = ends[hop + 1] - begin;
    blocks[blocks.size() - 1 - hop].edges[type] = {
        edges.src.subspan(begin, count), edges.dst.subspan(begin, count),
        edges.e_id.empty() ? edges.e_id : edges.e_id.subspan(begin, count),
        Rows(edges.edge_attr, begin, count),
        Rows(edges.edge_weight, begin, count)};
  }
  return absl::OkStatus();
}

// Messages go to a block's destinations, and to no other nodes.
absl::Status CheckEndsAtDestinations(const std::vector<Block>& blocks) {
  for (const Block& block : blocks) {
    for (const auto& [type, edges] : block.edges) {
      const std::string dst_type = type.substr(type.rfind(',') + 1);
      const auto dst = block.nodes.find(dst_type);
      const size_t count =
          dst == block.nodes.end() ? 0 : dst->second.dst.size();
      if (std::all_of(edges.dst.begin(), edges.dst.end(), [count](int32_t to) {
            return static_cast<size_t>(to) < count;
          })) {
        continue;
      }
      return absl::InvalidArgumentError(
          absl::StrCat("edges of ", type,
                       " lead away from the nodes that were expanded, and "
                       "make no blocks; allowed: batches of edge_dir in"));
    }
  }
  return absl::OkStatus();
}

// Walks, for one, have none.
absl::Status CheckHasHops(const BatchView& batch) {
  for (const TensorView& tensor : batch.tensors()) {
    if (absl::StartsWith(tensor.name, "num_sampled_edges")) {
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(
      "a batch without num_sampled_edges has no blocks; those of neighbour "
      "sampling have it");
}

// The same for all types.
absl::StatusOr<size_t> CountHops(const HeteroBatch& batch) {
  if (batch.edges.empty()) return absl::DataLossError("no edge type");
  const size_t hops = batch.edges.begin()->second.num_sampled_edges.size();
  for (const auto& [type, edges] : batch.edges) {
    if (edges.num_sampled_edges.size() == hops) continue;
    return absl::DataLossError(
        absl::StrCat("edge type ", type, " has counts of ",
                     edges.num_sampled_edges.size(), " hops, another ", hops));
  }
  return hops;
}

}  // namespace

absl::StatusOr<std::vector<Block>> ToBlocks(const BatchView& view,
                                            const GraphSchema& schema) {
  RETURN_IF_ERROR(CheckHasHops(view));
  ASSIGN_OR_RETURN(const HeteroBatch batch, ToTypedBatch(view, schema));
  ASSIGN_OR_RETURN(const size_t hops, CountHops(batch));
  std::vector<Block> blocks(hops);
  for (const auto& [type, nodes] : batch.nodes) {
    RETURN_IF_ERROR(AddNodes(type, nodes, blocks));
  }
  for (const auto& [type, edges] : batch.edges) {
    RETURN_IF_ERROR(AddEdges(type, edges, blocks));
  }
  RETURN_IF_ERROR(CheckEndsAtDestinations(blocks));
  return blocks;
}

}  // namespace tributary
