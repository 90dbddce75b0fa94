// The options of loaders: what all kinds of sampling share, and the options of
// neighbour sampling. Names are PyG's.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_LOADER_OPTIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_LOADER_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/session/collected_columns.h"
#include "common/session/num_neighbors.h"
#include "common/session/spec_builder.h"

namespace tributary {

// Options that loaders of all kinds take. Node inputs are given in exactly one
// of four ways: input_split, input_nodes, input_mask or all_nodes. A loader of
// links takes none of these (EdgeTypeLinks has its inputs).
//
//   NeighborLoaderOptions options;
//   options.input_split = "train";
//   options.batch_size = 1024;
//   options.num_neighbors = {15, 10, 5};
struct CommonLoaderOptions {
  // The name of a split ("train", "SCHEME/train"), whose ids the servers give.
  std::string input_split;
  // The original ids themselves.
  std::vector<int64_t> input_nodes;
  // For each node of the type, whether it is an input (PyG's train_mask).
  std::vector<bool> input_mask;
  // Every node of the type, as PyG's None. With num_neighbors = {-1} and
  // shuffle kNone: inference of a model layer by layer.
  bool all_nodes = false;
  // The inputs' node type; empty: the graph's only one. PyG's input_nodes =
  // ("person", ids) is input_type = "person" and input_nodes = ids.
  std::string input_type;
  // Refuses typed (heterogeneous) graphs, for callers that cannot take them.
  bool homogeneous = false;
  uint64_t batch_size = 1;
  ShuffleMode shuffle = ShuffleMode::kGlobal;
  // A weight for each input, finite and not negative (links of several edge
  // types: in canonical order of these). An epoch then draws as many inputs
  // with replacement, in proportion to their weights, instead of taking each
  // once (PyTorch's WeightedRandomSampler, PyG's ImbalancedSampler). Requires
  // shuffle kGlobal.
  std::vector<double> input_weight;
  // The columns that batches hold: by default x, y and edge_attr. They may also
  // have the nodes' times, the edges' weights and the inputs' times.
  CollectedColumns collect;
  // The precision of floating columns of x and edge_attr: half precision takes
  // half of float32's bytes. int8 takes a quarter, and adds x_scale and
  // edge_attr_scale, by which a row is multiplied.
  FeatureDType feature_dtype = FeatureDType::kStored;
  // Adds, for each edge type of a batch, in_degree and out_degree: the numbers
  // of edges of the type in the whole graph into and out of the batch's nodes.
  // Requires a graph partitioned with --degrees, and a kind that samples edges.
  bool collect_degrees = false;
  // Leaves e_id out of batches: what else they hold is the same, in fewer
  // bytes, and servers sample faster. Requires a kind that samples edges.
  bool omit_edge_ids = false;
  // Leaves out the short batch at the end of an epoch: its inputs are then not
  // delivered, so the epoch no longer takes each input exactly once.
  bool drop_last = false;
  uint64_t random_seed = 0;
  // This trainer takes the batches g with (g - start) mod world == rank.
  uint32_t rank = 0;
  uint32_t world = 1;
  // The inputs are this rank's own (NodeSplit, EdgeSplit), not those of all
  // ranks: this loader takes all of them, in batches 0, 1, ... of its own.
  // Requires shuffle kLocal, which orders this rank's inputs by the key, or
  // kNone. A cursor of such a list resumes on the same rank of the same world
  // alone.
  bool own_inputs = false;
  // With own_inputs: called at each start of an epoch with the number of
  // batches that this rank has; returns the number of rounds, in which all
  // ranks agree and which no rank's number exceeds (MostBatchesOf). Empty: its
  // own number.
  std::function<absl::StatusOr<uint64_t>(uint64_t own_batches)> agree_rounds;
  // GLT's device of a batch's tensors: "cpu" or empty, for a lease refers to
  // the receive ring. Others are refused: DeviceCopies (trainer_client/torch)
  // copies a delivered batch to a GPU, as tributary-train --device does.
  std::string to_device;
};

// How neighbours are sampled: the hops of the kinds `neighbor` and `link`.
struct NeighborOptions {
  NumNeighbors num_neighbors;
  bool replace = false;
  bool expand_all = false;   // DGL's blocks instead of PyG's hops
  DrawOptions draws;         // weights, LABOR, times, trees, masks
  SubgraphOptions subgraph;  // PyG's subgraph_type: which edges there are
  // A time for each input, in their order, or one for all. Empty, with a
  // draws.time: the nodes' own times. Must be empty for links, which have
  // EdgeTypeLinks::edge_label_time.
  std::vector<int64_t> input_time;
};

// The options of DistNeighborLoader.
struct NeighborLoaderOptions : CommonLoaderOptions, NeighborOptions {};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_LOADER_OPTIONS_H_
