// A graph whose edges are in .npy files.
#ifndef TRIBUTARY_PARTITION_PIPELINE_MPI_NPY_GRAPH_H_
#define TRIBUTARY_PARTITION_PIPELINE_MPI_NPY_GRAPH_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/source/graph_source.h"

namespace tributary {

// Files as the command line names them.
struct NpyGraphOptions {
  // "FILE" in a homogeneous graph, else "SRC,REL,DST=FILE": whole numbers of
  // any type, [2, edges] as PyG's edge_index, or [edges, 2].
  std::vector<std::string> edges;
  std::string num_nodes;  // "N", or "TYPE=N,TYPE=N"
  // "FILE" or "TYPE=FILE": [count], original ids of training nodes.
  std::vector<std::string> train;
};

// Opens the files; reads only the training nodes. Node types are in the order
// of their names. INVALID_ARGUMENT, naming the flag or the file, for what is
// not of these forms; else the errors of opening and reading.
absl::StatusOr<GraphSource> OpenNpyGraph(const NpyGraphOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_MPI_NPY_GRAPH_H_
