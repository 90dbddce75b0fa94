// How large a batch can get: what a trainer reserves before it has seen one.
#ifndef TRIBUTARY_COMMON_SESSION_BATCH_BOUND_H_
#define TRIBUTARY_COMMON_SESSION_BATCH_BOUND_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/session/subgraph_options.h"

namespace tributary {

// What a bound must know of the graph and the specification. `row_bytes` are
// those that travel: 0 when features are not collected.
struct BatchBoundInputs {
  struct NodeType {
    std::string name;
    uint64_t num_nodes = 0;
    uint64_t row_bytes = 0;  // of x and y together
  };
  struct EdgeType {
    std::string name;  // "src,rel,dst"
    int src_type = 0;  // index into node_types
    int dst_type = 0;
    uint64_t num_edges = 0;
    uint64_t row_bytes = 0;        // of edge_attr
    std::vector<int32_t> fanouts;  // per hop, one length for all
  };
  std::vector<NodeType> node_types;
  std::vector<EdgeType> edge_types;
  int input_type = 0;
  uint64_t num_inputs = 0;  // of the batch
  // Where hops begin, by node type; empty: at the inputs, of input_type.
  std::vector<uint64_t> starts;
  uint64_t more_bytes = 0;  // that the kind adds
  bool replace = false;
  bool expand_all = false;
  bool disjoint = false;      // a tree for each input, and `batch`
  bool edge_weights = false;  // LABOR
  SubgraphType subgraph = SubgraphType::kDirectional;
};

// No batch is larger, header and padding included. Saturates at UINT64_MAX.
uint64_t BatchBytesBound(const BatchBoundInputs& inputs);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_BATCH_BOUND_H_
