// Loads mini-batches of links, their negatives and the neighbourhoods of both,
// which servers make: the counterpart of PyG's LinkNeighborLoader, GLT's
// DistLinkNeighborLoader and DGL's as_edge_prediction_sampler.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_DIST_LINK_NEIGHBOR_LOADER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_DIST_LINK_NEIGHBOR_LOADER_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer_client/core/dist_loader.h"

namespace tributary {

// The links of one edge type, or of several.
//
//   LinkNeighborLoaderOptions options;
//   options.input_split = "train";
//   options.neg_sampling = {.mode = NegativeMode::kBinary, .amount = 1};
//   options.neighbors.num_neighbors = {10, 5};
//   options.neighbors.batch_size = 512;
struct LinkNeighborLoaderOptions : EdgeTypeLinks {
  // Instead of the links above, those of each of several edge types, in any
  // order: DGL's dict by canonical type, where PyG has a loader for each. A
  // batch's links are of any of them; what follows is for all. Either all or
  // none have labels, times and the user's own negatives.
  std::vector<EdgeTypeLinks> by_edge_type;
  NegativeSampling neg_sampling;
  // Edges of the batch's links that no hop may sample; DGL's exclude. All modes
  // but pair require the links' edge ids.
  ExcludeMode exclude = ExcludeMode::kNone;
  // SEAL: for each link the subgraph induced by its ends' neighbourhoods,
  // without the link's own edges, and `z`, its nodes' double-radius labels.
  // Sets neighbors.subgraph.type to kInduced and neighbors.draws.disjoint;
  // negatives are then links with a label.
  bool enclosing = false;
  // All other options. Its inputs (input_split, input_nodes, input_mask,
  // all_nodes, input_type) and input_time stay empty.
  NeighborLoaderOptions neighbors;
};

// Makes loaders of links.
class DistLinkNeighborLoader {
 public:
  // As DistLoader::Create. Batches have, instead of batch_size and seed_index,
  // edge_label_index and edge_label, or (mode triplet) src_index, dst_pos_index
  // and dst_neg_index.
  static absl::StatusOr<std::unique_ptr<DistLoader>> Create(
      const LinkNeighborLoaderOptions& options,
      const RemoteDistSamplingWorkerOptions& worker,
      const LoaderEnvironment& environment);
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_DIST_LINK_NEIGHBOR_LOADER_H_
