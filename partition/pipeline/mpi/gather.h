// Brings a distributed assignment to one rank, in the order of node ids.
#ifndef TRIBUTARY_PARTITION_PIPELINE_MPI_GATHER_H_
#define TRIBUTARY_PARTITION_PIPELINE_MPI_GATHER_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "partition/pipeline/mpi/communicator.h"
#include "partition/pipeline/mpi/distributed_graph.h"

namespace tributary {

// Calls `take`, at rank 0 alone, with the partitions of all nodes of the
// homogenised graph, in order and in pieces of about a million. Returns the
// error of `take` at all ranks. Collective.
absl::Status GatherInOrder(
    const Communicator& comm, const NodeShares& shares,
    absl::Span<const uint16_t> parts,
    absl::FunctionRef<absl::Status(absl::Span<const uint16_t>)> take);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_MPI_GATHER_H_
