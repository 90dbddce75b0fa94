// Shares a graph's nodes or edges out among ranks: DGL's node_split and
// edge_split.
#ifndef TRIBUTARY_TRAINER_CLIENT_GRAPH_NODE_SPLIT_H_
#define TRIBUTARY_TRAINER_CLIENT_GRAPH_NODE_SPLIT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "trainer_client/graph/dist_graph.h"
#include "trainer_client/tensors/dist_context.h"

namespace tributary {

// The ids to share out, in exactly one of three ways: a split's name ("train",
// "SCHEME/train"), ids, or a mask by id (DGL's).
struct SplitRequest {
  std::string type;  // of nodes or edges; empty: the only one
  std::string split;
  std::vector<int64_t> ids;
  std::vector<bool> mask;
};

struct SplitOptions {
  // Which rank's share; by default those of the graph.
  std::optional<int> rank;
  std::optional<int> world_size;
  // Shares differ by at most 1. If false, a rank has what is in its partitions
  // (PartitionsOfRank), whatever the numbers.
  bool force_even = true;
  // Whether a rank gets what is in its own partitions first. If false, the ids
  // are cut in ascending order, which needs no look-up.
  bool locality = true;
};

// One rank's share.
struct RankShare {
  std::vector<int64_t> ids;  // ascending, each once
  uint64_t total = 0;        // ids of all ranks
  int rank = 0;
  int world_size = 1;
  // The share of `ids` that is in partitions of this rank; 1 if there is none.
  // Unknown without look-ups.
  std::optional<double> locality;
};

// Returns a rank's share of nodes. Every id is in exactly one rank's share; the
// shares depend on nothing but the graph, the ids and the options, so ranks
// need not talk. Ids that come several times count once. INVALID_ARGUMENT if
// the ids are given in no way or in several, or a mask has another length than
// the type; OUT_OF_RANGE for an id; errors as of DistGraph. A loader takes the
// share as options.input_nodes with own_inputs (UseShare).
absl::StatusOr<RankShare> NodeSplit(const DistGraph& graph,
                                    const SplitRequest& request,
                                    const SplitOptions& options = {});
// The same for edges, by edge id. Needs --edge-index where `locality` is true
// or `force_even` false: FAILED_PRECONDITION else. INVALID_ARGUMENT for a split
// of edges that are not in the graph.
absl::StatusOr<RankShare> EdgeSplit(const DistGraph& graph,
                                    const SplitRequest& request,
                                    const SplitOptions& options = {});

// Shares `ids`, ascending and distinct, out. partitions[i] is that of ids[i];
// empty: they are cut in order. The rule of the two functions above.
RankShare ShareOut(absl::Span<const int64_t> ids,
                   absl::Span<const uint32_t> partitions,
                   uint32_t num_partitions, int rank, int world_size,
                   bool force_even);

// Sets the inputs of a loader to a share of nodes, as this rank's own, in
// rounds that all ranks of the group agree on at each start of an epoch.
// Replaces shuffle kGlobal by kLocal. `context` may be null for one rank; it
// must outlive the loader.
void UseShare(const RankShare& share, DistContext* context,
              CommonLoaderOptions* options);

// Returns a function for CommonLoaderOptions::agree_rounds: a collective that
// returns the largest number of any rank. `context` must outlive it.
std::function<absl::StatusOr<uint64_t>(uint64_t)> MostBatchesOf(
    DistContext* context);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_GRAPH_NODE_SPLIT_H_
