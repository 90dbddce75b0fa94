// What a loader samples: the options of every kind of loader, under PyG's
// names.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_LOADER_OPTIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_LOADER_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/session/kinds/layerwise_spec.h"
#include "common/session/kinds/link_spec.h"
#include "common/session/kinds/ppr_spec.h"
#include "common/session/kinds/walk_spec.h"
#include "common/session/link_columns.h"
#include "common/session/spec_builder.h"

namespace tributary {

// Links of one edge type.
struct LinkList {
  std::string edge_type;  // "src,rel,dst"; empty: the graph's only one
  std::string split;      // of edges, asked for from the servers ...
  LinkColumns links;      // ... or, when that is empty, the links themselves
  // A time for each, or one for all: with draws.time.
  std::vector<int64_t> time;
  // negatives.amount original ids of the destination type for each link, which
  // are its negatives; empty: they are drawn.
  std::vector<int64_t> neg_destination;
};

// Which links batches are made for.
struct LinkRequest {
  // One; or one for each of several edge types, in any order.
  std::vector<LinkList> lists;
  NegativeSampling negatives;
  ExcludeMode exclude = ExcludeMode::kNone;
  bool enclosing = false;  // with an induced subgraph, disjoint
};

// What loaders of all kinds take; PyG's argument names.
struct CommonLoaderOptions {
  // A split's name ("train", "SCHEME/train"), asked for from the servers ...
  std::string input_split;
  // ... or the original ids themselves ...
  std::vector<int64_t> input_nodes;
  // ... or, for each node of the type, whether it is one (a train_mask) ...
  std::vector<bool> input_mask;
  // ... or every node of the type, as PyG's None: with num_neighbors = {-1} and
  // shuffle kNone the way to infer a model layer by layer.
  bool all_nodes = false;
  // Their node type; empty: the graph's only one. PyG's input_nodes =
  // ("person", ids) is input_type = "person" and input_nodes = ids.
  std::string input_type;
  uint64_t batch_size = 1;
  ShuffleMode shuffle = ShuffleMode::kGlobal;
  // One for each of the inputs (links of several edge types: in canonical order
  // of these): an epoch draws as many, with replacement and in
  // proportion, instead of each once (PyTorch's WeightedRandomSampler, PyG's
  // ImbalancedSampler).
  std::vector<double> input_weight;
  bool collect_features = true;
  // Floating columns of x and edge_attr come in this precision: half of
  // float32's bytes, or with int8 a quarter, and x_scale and edge_attr_scale,
  // by which a row is multiplied.
  FeatureDType feature_dtype = FeatureDType::kStored;
  bool drop_last = false;  // voids exactly-once: the short batch is left out
  uint64_t random_seed = 0;
  // This trainer takes the batches g with (g - start) mod world == rank.
  uint32_t rank = 0;
  uint32_t world = 1;
};

// What is sampled; PyG's argument names.
struct NeighborLoaderOptions : CommonLoaderOptions {
  NeighborLoaderOptions() = default;
  explicit NeighborLoaderOptions(const CommonLoaderOptions& common)
      : CommonLoaderOptions(common) {}

  // Neighbours per node and hop, nearest hop first; -1: all.
  std::vector<int32_t> num_neighbors;
  // Per canonical edge type "src,rel,dst", over the default above.
  std::vector<std::pair<std::string, std::vector<int32_t>>>
      num_neighbors_by_type;
  bool homogeneous = false;  // refuse typed graphs, for who cannot take them
  bool replace = false;
  bool expand_all = false;   // DGL's blocks instead of PyG's hops
  DrawOptions draws;         // weights, LABOR, times, trees, masks
  SubgraphOptions subgraph;  // PyG's subgraph_type: which edges there are
  // The time of each of the inputs, in their order, or one for all. Empty, with
  // a draws.time: the nodes' own. Links bring theirs.
  std::vector<int64_t> input_time;
  // Another kind instead of neighbours, which all of the above are for; one at
  // most: set by DistRandomWalkLoader, DistPprLoader and DistLayerwiseLoader.
  std::optional<WalkOptions> walk;
  std::optional<PprOptions> ppr;
  std::optional<LayerwiseOptions> layerwise;
  // Links and negatives to them instead of input_nodes: set by
  // DistLinkNeighborLoader.
  std::optional<LinkRequest> link;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_LOADER_OPTIONS_H_
