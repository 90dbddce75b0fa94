// The work of tributary-partition-mpi, between parsing and exit.
#ifndef TRIBUTARY_CLI_MPI_MPI_PARTITION_H_
#define TRIBUTARY_CLI_MPI_MPI_PARTITION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "partition/pipeline/inputs/options/input_options.h"
#include "partition/pipeline/mpi/communicator.h"
#include "partition/pipeline/mpi/npy_graph.h"
#include "partition/pipeline/mpi/scotch_partitioner.h"

namespace tributary {

// The one sum that partitions have equal shares of; PT-Scotch takes no more.
struct MpiBalance {
  enum class Kind { kNodes, kEdges, kTrain, kWeight };
  Kind kind = Kind::kNodes;
  int weight = 0;  // of kWeight: the column of the DGL node files, from 0
};

struct MpiPartitionOptions {
  // The graph is one of three: what `tributary partition` reads, unless neither
  // folder nor config is set; DGL's files, unless dgl_prefix is empty; `npy`.
  InputOptions input;
  NpyGraphOptions npy;
  std::string dgl_prefix;
  std::string dgl_node_list, dgl_edge_list;
  uint32_t num_partitions = 0;
  std::optional<MpiBalance> balance;  // none: as the input suggests
  double imbalance = 1.05;            // a partition's share over the mean
  ScotchStrategy strategy = ScotchStrategy::kQuality;
  // Bytes that each process may use; 0: half of its machine's memory, shared
  // with the other processes there.
  uint64_t memory_bytes = 0;
  int64_t random_seed = 0;
  std::string out;  // may be empty with dgl_prefix

  bool reads_input() const {
    return !input.folder.empty() || input.layout.config.has_value();
  }
};

// Parses nodes, edges, train or weight:I. INVALID_ARGUMENT for anything else,
// and, naming METIS, for a list of them.
absl::StatusOr<MpiBalance> ParseMpiBalance(const std::string& text);

// Reads, partitions, writes; rank 0 prints one line on stdout with the figures.
// The same status at all ranks. Collective.
absl::Status RunMpiPartition(const Communicator& comm,
                             const MpiPartitionOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_MPI_MPI_PARTITION_H_
