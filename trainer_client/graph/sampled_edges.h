// Edges that a distributed graph returns, and blocks made of them.
#ifndef TRIBUTARY_TRAINER_CLIENT_GRAPH_SAMPLED_EDGES_H_
#define TRIBUTARY_TRAINER_CLIENT_GRAPH_SAMPLED_EDGES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/schema/schema.h"

namespace tributary {

// Edges of one type by original ids: g.edges() and g.edata[dgl.EID].
struct EdgeList {
  std::vector<int64_t> src;
  std::vector<int64_t> dst;
  std::vector<int64_t> e_id;
  size_t size() const { return src.size(); }
  friend bool operator==(const EdgeList&, const EdgeList&) = default;
};

// Node ids by node type, and edges by edge type "src,rel,dst".
using NodesByType = std::map<std::string, std::vector<int64_t>>;
using EdgesByType = std::map<std::string, EdgeList>;

// The nodes of one type in a block: the destinations are the first num_dst of
// the sources, as in DGL's to_block.
struct MadeBlockNodes {
  std::vector<int64_t> src;  // original ids: srcdata[dgl.NID]
  size_t num_dst = 0;
};
// The edges of one type, as indices into these.
struct MadeBlockEdges {
  std::vector<int32_t> src;
  std::vector<int32_t> dst;
  std::vector<int64_t> e_id;
};
// A message-flow block that owns its arrays.
struct MadeBlock {
  std::map<std::string, MadeBlockNodes> nodes;
  std::map<std::string, MadeBlockEdges> edges;
};

// Renumbers edges to a block whose destinations are `dst_nodes`, in their
// order; sources that are no destinations follow in the order of the edges,
// type by type. DGL's to_block. INVALID_ARGUMENT if an edge ends at none of
// `dst_nodes`, if a node comes twice there, or for a type that the graph lacks;
// RESOURCE_EXHAUSTED above 2^31 - 1 nodes of a type.
absl::StatusOr<MadeBlock> MakeBlock(const GraphSchema& schema,
                                    const EdgesByType& edges,
                                    const NodesByType& dst_nodes);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_GRAPH_SAMPLED_EDGES_H_
