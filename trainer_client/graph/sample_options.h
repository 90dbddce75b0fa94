// The options of sampling calls.
#ifndef TRIBUTARY_TRAINER_CLIENT_GRAPH_SAMPLE_OPTIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_GRAPH_SAMPLE_OPTIONS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/session/draw_options.h"

namespace tributary {

// The options of a sampling call. Equal keys, options and nodes give the same
// edges on every fleet and partitioning: those of a loader of these nodes with
// random_seed = seed, without shuffling, at batch `index` of epoch 0 (calls of
// more than 65,536 nodes take the following indices, too).
struct SampleKey {
  uint64_t random_seed = 0;
  uint64_t index = 0;
};

// The options of SampleNeighbors and SampleEtypeNeighbors.
struct SampleOptions {
  SampleKey key;
  bool replace = false;
  // The column to draw in proportion to: "weight", the weights that the graph
  // stores. Empty: uniform. DGL takes any column of edata.
  std::string prob;
  // kOut and kBoth need reverse edges (--add-reverse, --out-edges).
  EdgeDirection edge_dir = EdgeDirection::kIn;
  // Only edges for which this mask of the graph is true; empty: all.
  std::string edge_mask;
  // By edge type: ids of edges that are not returned, as if the graph lacked
  // them. Only with edge_dir kIn, without prob, and without replace unless
  // fanout is -1: INVALID_ARGUMENT else. FAILED_PRECONDITION for graphs without
  // --edge-index. See SampleWithoutEdges.
  std::map<std::string, std::vector<int64_t>> exclude_edges;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_GRAPH_SAMPLE_OPTIONS_H_
