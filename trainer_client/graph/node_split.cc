#include "trainer_client/graph/node_split.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// The beginning of rank r's part of n things that are cut evenly.
size_t CutAt(size_t n, int rank, int world_size) {
  const auto r = static_cast<size_t>(rank);
  const auto world = static_cast<size_t>(world_size);
  return n / world * r + std::min(n % world, r);
}

// For each rank, the indices of `partitions` that are in its own partitions;
// those of a partition that several ranks share are cut evenly among them.
std::vector<std::vector<size_t>> OwnOfRanks(
    absl::Span<const uint32_t> partitions, uint32_t num_partitions,
    int world_size) {
  std::vector<std::vector<size_t>> of_partition(num_partitions);
  for (size_t i = 0; i < partitions.size(); ++i) {
    of_partition[partitions[i]].push_back(i);
  }
  std::vector<std::vector<int>> ranks(num_partitions);
  for (int r = 0; r < world_size; ++r) {
    for (uint32_t p : PartitionsOfRank(num_partitions, r, world_size)) {
      ranks[p].push_back(r);
    }
  }
  std::vector<std::vector<size_t>> own(world_size);
  for (uint32_t p = 0; p < num_partitions; ++p) {
    const auto& indices = of_partition[p];
    const auto sharing = static_cast<int>(ranks[p].size());
    for (int k = 0; k < sharing; ++k) {
      own[ranks[p][k]].insert(
          own[ranks[p][k]].end(),
          indices.begin() + CutAt(indices.size(), k, sharing),
          indices.begin() + CutAt(indices.size(), k + 1, sharing));
    }
  }
  return own;
}

// Evens the ranks' lists out: what exceeds a rank's part goes to those that
// have too few, in order.
void Even(size_t total, std::vector<std::vector<size_t>>* own) {
  const auto world = static_cast<int>(own->size());
  std::vector<size_t> left_over;
  const auto part_of = [&](int r) {
    return CutAt(total, r + 1, world) - CutAt(total, r, world);
  };
  for (int r = 0; r < world; ++r) {
    auto& list = (*own)[r];
    if (list.size() <= part_of(r)) continue;
    left_over.insert(left_over.end(), list.begin() + part_of(r), list.end());
    list.resize(part_of(r));
  }
  auto next = left_over.begin();
  for (int r = 0; r < world; ++r) {
    auto& list = (*own)[r];
    while (list.size() < part_of(r)) list.push_back(*next++);
  }
}

absl::Status CheckRequest(const SplitRequest& request) {
  const int ways =
      !request.split.empty() + !request.ids.empty() + !request.mask.empty();
  if (ways == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("SplitRequest has ", ways,
                   " of split, ids and mask; allowed: exactly one"));
}

absl::StatusOr<std::vector<int64_t>> IdsOfSplit(const DistGraph& graph,
                                                const std::string& type,
                                                const std::string& split) {
  ASSIGN_OR_RETURN(std::vector<int64_t> ids,
                   graph.lookups().connection().Split(type, split));
  if (!IsEdgeTypeName(type)) return ids;
  std::vector<int64_t> edge_ids;
  for (size_t i = kSplitEdgeNumbers - 1; i < ids.size();
       i += kSplitEdgeNumbers) {
    if (ids[i] < 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "split ", split, " of ", type, " has the edge ", ids[i - 2], " > ",
          ids[i - 1],
          ", which the graph does not have; allowed: splits of the "
          "graph's edges"));
    }
    edge_ids.push_back(ids[i]);
  }
  return edge_ids;
}

// The ids of a request, ascending, each once. `num_ids`: of the type.
absl::StatusOr<std::vector<int64_t>> IdsOf(const DistGraph& graph,
                                           const std::string& type,
                                           const SplitRequest& request,
                                           int64_t num_ids) {
  RETURN_IF_ERROR(CheckRequest(request));
  std::vector<int64_t> ids = request.ids;
  if (!request.split.empty()) {
    ASSIGN_OR_RETURN(ids, IdsOfSplit(graph, type, request.split));
  } else if (!request.mask.empty()) {
    if (request.mask.size() != static_cast<size_t>(num_ids)) {
      return absl::InvalidArgumentError(
          absl::StrCat("SplitRequest.mask is ", request.mask.size(), " long; ",
                       type, " has ", num_ids, " ids"));
    }
    for (int64_t id = 0; id < num_ids; ++id) {
      if (request.mask[static_cast<size_t>(id)]) ids.push_back(id);
    }
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  if (!ids.empty() && (ids.front() < 0 || ids.back() >= num_ids)) {
    return absl::OutOfRangeError(
        absl::StrCat("id ", ids.front() < 0 ? ids.front() : ids.back(), " of ",
                     type, "; ids are 0 to ", num_ids, " - 1"));
  }
  return ids;
}

absl::Status CheckRank(int rank, int world_size) {
  if (world_size >= 1 && rank >= 0 && rank < world_size) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("SplitOptions.rank is ", rank, " of world_size ", world_size,
                   "; allowed: 0 to world_size - 1"));
}

// Finds partitions where they are needed, and shares the ids out.
template <typename FindPartitions>
absl::StatusOr<RankShare> Share(const DistGraph& graph,
                                const std::vector<int64_t>& ids,
                                const SplitOptions& options,
                                FindPartitions find) {
  const int rank = options.rank.value_or(graph.options().rank);
  const int world = options.world_size.value_or(graph.options().world_size);
  RETURN_IF_ERROR(CheckRank(rank, world));
  std::vector<uint32_t> partitions;
  if (options.locality || !options.force_even) {
    ASSIGN_OR_RETURN(partitions, find(ids));
  }
  return ShareOut(ids, partitions, graph.schema().num_partitions, rank, world,
                  options.force_even);
}

}  // namespace

RankShare ShareOut(absl::Span<const int64_t> ids,
                   absl::Span<const uint32_t> partitions,
                   uint32_t num_partitions, int rank, int world_size,
                   bool force_even) {
  RankShare share;
  share.total = ids.size();
  share.rank = rank;
  share.world_size = world_size;
  if (partitions.size() != ids.size()) {
    const size_t begin = CutAt(ids.size(), rank, world_size);
    const auto part =
        ids.subspan(begin, CutAt(ids.size(), rank + 1, world_size) - begin);
    share.ids.assign(part.begin(), part.end());
    return share;
  }
  auto own = OwnOfRanks(partitions, num_partitions, world_size);
  if (force_even) Even(ids.size(), &own);
  std::sort(own[rank].begin(), own[rank].end());
  const auto mine = PartitionsOfRank(num_partitions, rank, world_size);
  size_t local = 0;
  for (size_t i : own[rank]) {
    share.ids.push_back(ids[i]);
    local +=
        std::binary_search(mine.begin(), mine.end(), partitions[i]) ? 1 : 0;
  }
  share.locality =
      share.ids.empty()
          ? 1.0
          : static_cast<double>(local) / static_cast<double>(share.ids.size());
  return share;
}

absl::StatusOr<RankShare> NodeSplit(const DistGraph& graph,
                                    const SplitRequest& request,
                                    const SplitOptions& options) {
  ASSIGN_OR_RETURN(const int type,
                   ResolveNodeType(graph.schema(), request.type));
  const NodeTypeSchema& schema = graph.schema().node_types[type];
  ASSIGN_OR_RETURN(const auto ids,
                   IdsOf(graph, schema.name, request, schema.num_nodes));
  return Share(graph, ids, options, [&](const std::vector<int64_t>& nodes) {
    return graph.partition_book().NodePartitions(nodes, schema.name);
  });
}

absl::StatusOr<RankShare> EdgeSplit(const DistGraph& graph,
                                    const SplitRequest& request,
                                    const SplitOptions& options) {
  ASSIGN_OR_RETURN(const int type,
                   ResolveEdgeType(graph.schema(), request.type));
  const EdgeTypeSchema& schema = graph.schema().edge_types[type];
  const int64_t num_ids =
      schema.edge_index ? schema.num_edge_ids : schema.num_edges;
  ASSIGN_OR_RETURN(const auto ids,
                   IdsOf(graph, schema.name(), request, num_ids));
  return Share(graph, ids, options, [&](const std::vector<int64_t>& edges) {
    return graph.partition_book().EdgePartitions(edges, schema.name());
  });
}

void UseShare(const RankShare& share, DistContext* context,
              CommonLoaderOptions* options) {
  options->input_nodes = share.ids;
  options->own_inputs = true;
  options->rank = static_cast<uint32_t>(share.rank);
  options->world = static_cast<uint32_t>(share.world_size);
  if (options->shuffle == ShuffleMode::kGlobal) {
    options->shuffle = ShuffleMode::kLocal;
  }
  if (context != nullptr) options->agree_rounds = MostBatchesOf(context);
}

std::function<absl::StatusOr<uint64_t>(uint64_t)> MostBatchesOf(
    DistContext* context) {
  return [context](uint64_t own) -> absl::StatusOr<uint64_t> {
    ASSIGN_OR_RETURN(
        const std::vector<std::string> all,
        context->AllGather("rounds of an epoch", absl::StrCat(own)));
    uint64_t most = own;
    for (size_t rank = 0; rank < all.size(); ++rank) {
      uint64_t batches = 0;
      if (!absl::SimpleAtoi(all[rank], &batches)) {
        return absl::InternalError(
            absl::StrCat("rank ", rank, " has not told its number of batches"));
      }
      most = std::max(most, batches);
    }
    return most;
  };
}

}  // namespace tributary
