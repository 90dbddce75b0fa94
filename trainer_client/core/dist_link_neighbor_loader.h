// Iterates over mini-batches of links, their negatives and the neighbourhoods
// of both: the counterpart of PyG's LinkNeighborLoader, GLT's
// DistLinkNeighborLoader and DGL's as_edge_prediction_sampler.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_DIST_LINK_NEIGHBOR_LOADER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_DIST_LINK_NEIGHBOR_LOADER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer_client/core/dist_neighbor_loader.h"

namespace tributary {

// Links of one edge type; PyG's argument names.
struct EdgeTypeLinks {
  // "src,rel,dst" that the links are of; empty: the graph's only edge type.
  std::string edge_type;
  // A split of edges, by name ("train", "SCHEME/train") ...
  std::string input_split;
  // ... or PyG's edge_label_index, by its rows: original ids.
  std::vector<int64_t> source, destination;
  // The ids of their edges, -1 where there is none; or none. A split's links
  // come with theirs.
  std::vector<int64_t> edge_id;
  // A label for each link, of one of the two kinds; or none.
  std::vector<int64_t> edge_label;
  std::vector<float> edge_label_float;
  // A time for each link, or one for all: with neighbors.draws.time.
  std::vector<int64_t> edge_label_time;
  // One's own negatives instead of drawn ones (OGB's lists of destinations for
  // each link): [links x neg_sampling.amount] original ids, row-major; with
  // mode triplet or destination.
  std::vector<int64_t> neg_destination;
};

// What is sampled: links of one edge type, or of several.
struct LinkNeighborLoaderOptions : EdgeTypeLinks {
  // Instead of the links above, those of each of several edge types, in any
  // order: DGL's dict by canonical type, where PyG has a loader for each. A
  // batch's links are of any of them; what follows is for all. Labels, times
  // and negatives of one's own have all of them or none.
  std::vector<EdgeTypeLinks> by_edge_type;
  NegativeSampling neg_sampling;
  // Edges that no hop draws, for they are the batch's links; DGL's exclude. All
  // but pair want their ids.
  ExcludeMode exclude = ExcludeMode::kNone;
  // SEAL: of each link the subgraph induced by its ends' neighbourhoods,
  // without the link's own edges, and `z`, its nodes' double-radius labels.
  // Makes neighbors.subgraph induced and neighbors.draws disjoint; negatives
  // are links with a label.
  bool enclosing = false;
  // All else; its input_split, input_nodes, input_type and input_time stay
  // empty.
  NeighborLoaderOptions neighbors;
};

class DistLinkNeighborLoader {
 public:
  // As DistNeighborLoader::Create; the loader differs in its batches alone,
  // which have, instead of batch_size and seed_index, edge_label_index and
  // edge_label, or src_index, dst_pos_index and dst_neg_index.
  static absl::StatusOr<std::unique_ptr<DistNeighborLoader>> Create(
      const LinkNeighborLoaderOptions& options,
      const RemoteDistSamplingWorkerOptions& worker,
      const LoaderEnvironment& environment);
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_DIST_LINK_NEIGHBOR_LOADER_H_
