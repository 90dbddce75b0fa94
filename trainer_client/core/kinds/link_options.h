// The links that batches are made for, as a user gives them.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_LINK_OPTIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_LINK_OPTIONS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/session/kinds/link_spec.h"
#include "trainer_client/core/kinds/loader_options.h"

namespace tributary {

// Links of one edge type, under PyG's argument names: either a split of edges
// or source and destination. All lists have an entry for each link, or are
// empty.
struct EdgeTypeLinks {
  // The links' type "src,rel,dst"; empty: the graph's only edge type. With
  // input_split also a pattern of several types (edge_type_pattern.h).
  std::string edge_type;
  // The name of a split of edges ("train", "SCHEME/train"), whose links and
  // edge ids the servers give.
  std::string input_split;
  // The rows of PyG's edge_label_index: original ids.
  std::vector<int64_t> source, destination;
  // The ids of the links' edges; -1: the link has none.
  std::vector<int64_t> edge_id;
  // Labels, as int64 or as float32, not both.
  std::vector<int64_t> edge_label;
  std::vector<float> edge_label_float;
  // A time for each link, or one for all: with neighbors.draws.time.
  std::vector<int64_t> edge_label_time;
  // The user's own negatives instead of drawn ones (OGB's lists of destinations
  // for each link): [links x neg_sampling.amount] original ids, row-major. Only
  // with mode triplet or destination.
  std::vector<int64_t> neg_destination;
  // Instead of edge_label_time, for the links of input_split: the times of the
  // type's edges, of which entry i is that of edge id i. Each link has its
  // edge's time.
  std::shared_ptr<const std::vector<int64_t>> edge_time;

  // Returns whether the links have times.
  bool timed() const { return edge_time || !edge_label_time.empty(); }
};

// The options of the kind `link`.
struct LinkOptions {
  // One list; or one for each of several edge types, in any order. Either all
  // or none of several have labels, times and negatives.
  std::vector<EdgeTypeLinks> lists;
  NegativeSampling negatives;
  // Edges of the batch's links that no hop may sample; DGL's exclude.
  ExcludeMode exclude = ExcludeMode::kNone;
  // SEAL's enclosing subgraphs: requires an induced subgraph and disjoint.
  bool enclosing = false;
  // How neighbours of the links' ends are sampled; input_time stays empty.
  NeighborOptions neighbors;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_LINK_OPTIONS_H_
