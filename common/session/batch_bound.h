// An upper bound for the size of a batch: the memory that a trainer reserves
// before it has seen one.
#ifndef TRIBUTARY_COMMON_SESSION_BATCH_BOUND_H_
#define TRIBUTARY_COMMON_SESSION_BATCH_BOUND_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/session/subgraph_options.h"

namespace tributary {

// The sizes that bound a batch of neighbours. `row_bytes` is the size of one
// row of features in the batch: 0 when features are not collected.
struct BatchBoundInputs {
  struct NodeType {
    std::string name;
    uint64_t num_nodes = 0;
    uint64_t row_bytes = 0;  // x and y of one node
  };
  struct EdgeType {
    std::string name;  // "src,rel,dst"
    int src_type = 0;  // index into node_types
    int dst_type = 0;
    uint64_t num_edges = 0;
    uint64_t row_bytes = 0;        // edge_attr of one edge
    std::vector<int32_t> fanouts;  // per hop, one length for all
    bool degrees = false;          // in_degree and out_degree are collected
  };
  std::vector<NodeType> node_types;
  std::vector<EdgeType> edge_types;
  int input_type = 0;
  uint64_t num_inputs = 0;  // of the largest batch
  // The number of nodes that hops start from, by node type; empty: the inputs,
  // of input_type.
  std::vector<uint64_t> starts;
  uint64_t more_bytes = 0;  // tensors of the kind of sampling itself
  bool replace = false;
  bool across_types = false;  // the fanouts, equal for all types, are a total
  bool expand_all = false;
  bool disjoint = false;       // a tree for each input, and `batch`
  bool edge_weights = false;   // LABOR
  bool omit_edge_ids = false;  // no e_id
  SubgraphType subgraph = SubgraphType::kDirectional;
};

// Returns bytes that no batch exceeds, header and padding included. Saturates
// at UINT64_MAX.
uint64_t BatchBytesBound(const BatchBoundInputs& inputs);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_BATCH_BOUND_H_
