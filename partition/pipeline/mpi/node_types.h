// The node types of a homogenised graph.
#ifndef TRIBUTARY_PARTITION_PIPELINE_MPI_NODE_TYPES_H_
#define TRIBUTARY_PARTITION_PIPELINE_MPI_NODE_TYPES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tributary {

// Node i of type t has the homogenised id starts[t] + i; the last start is the
// number of all nodes.
struct NodeTypes {
  std::vector<std::string> names;
  std::vector<int64_t> starts = {0};

  size_t size() const { return names.size(); }
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_MPI_NODE_TYPES_H_
