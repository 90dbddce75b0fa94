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

// What is sampled; PyG's argument names.
struct LinkNeighborLoaderOptions {
  // A split of edges, by name ("train", "SCHEME/train") ...
  std::string input_split;
  // ... or PyG's edge_label_index, by its rows: original ids.
  std::vector<int64_t> source, destination;
  // "src,rel,dst" that the links are of; empty: the graph's only edge type.
  std::string edge_type;
  // A label for each link, of one of the two kinds; or none.
  std::vector<int64_t> edge_label;
  std::vector<float> edge_label_float;
  // A time for each link, or one for all: with neighbors.draws.time.
  std::vector<int64_t> edge_label_time;
  NegativeSampling neg_sampling;
  // One's own negatives instead of drawn ones (OGB's lists of destinations for
  // each link): [links x neg_sampling.amount] original ids, row-major; with
  // mode triplet or destination.
  std::vector<int64_t> neg_destination;
  // Edges that no hop draws, for they are the batch's links; DGL's exclude. All
  // but pair want a split's links, which come with ids.
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
