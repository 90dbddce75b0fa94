// Reads the node files of pm_dglpart at all ranks.
#ifndef TRIBUTARY_PARTITION_PIPELINE_MPI_READ_DGL_NODES_H_
#define TRIBUTARY_PARTITION_PIPELINE_MPI_READ_DGL_NODES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/mpi/communicator.h"
#include "partition/pipeline/mpi/dgl_files.h"
#include "partition/pipeline/mpi/node_types.h"

namespace tributary {

// Nodes, as the node files list them.
struct DglNodes {
  NodeTypes types;
  std::vector<int64_t> weights;  // of this rank's rows; empty without `weight`
};

// Reads the node files, each rank a share, and sends weight number `weight` of
// each node to its rank. Errors as DglNodeLines, MergeDglTypes and
// CheckNodeLines. Collective.
absl::StatusOr<DglNodes> ReadDglNodes(const Communicator& comm,
                                      const DglFiles& files,
                                      std::optional<int> weight);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_MPI_READ_DGL_NODES_H_
