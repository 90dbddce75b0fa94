// Samples some batches of a graph folder with the real engine, to tell how many
// neighbours other partitions have.
#ifndef TRIBUTARY_CLI_GRAPH_PRESAMPLE_H_
#define TRIBUTARY_CLI_GRAPH_PRESAMPLE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "partition/format/graph.h"

namespace tributary {

// The flags of `tributary inspect --presample`, as texts of `tributary sample`.
struct PresampleArguments {
  std::string num_neighbors;          // empty: no sampling
  std::string input_nodes = "train";  // [TYPE:]SPLIT
  std::string batches = "20";
  std::string batch_size = "1024";
  std::string random_seed = "0";
};

// Nodes and neighbours of sampled batches. A neighbour is the source of a
// sampled edge; it is remote if its partition is not that of the edge's
// destination. A node is remote to the server of a partition if it is in
// another one.
struct PresampleFigures {
  uint64_t batches = 0;
  uint64_t nodes = 0;  // of all batches
  uint64_t neighbors = 0;
  uint64_t remote_neighbors = 0;
  uint64_t remote_nodes = 0;  // to the partition that makes the batch

  // Return shares; 0 where there are none.
  double remote_neighbor_share() const {
    return Share(remote_neighbors, neighbors);
  }
  double remote_node_share() const { return Share(remote_nodes, nodes); }

 private:
  static double Share(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0
                      : static_cast<double>(part) / static_cast<double>(whole);
  }
};

// Batches in the global order of inputs, each of which any server may make, and
// batches of the inputs of one partition, which its server makes.
struct Presampled {
  std::string num_neighbors, input_nodes;  // as given
  uint64_t batch_size = 0;
  // remote_nodes: on the average over the servers, if each has one partition.
  PresampleFigures global;
  PresampleFigures local;
};

// Makes as many batches of each order as `arguments` say, at most an epoch; of
// local ones about as many of each partition with inputs, at least one of each
// that is looked at. The same arguments give the same figures. Usage errors
// name the flag; NOT_FOUND for an unknown split.
absl::StatusOr<Presampled> Presample(const std::string& folder,
                                     const Graph& graph,
                                     const PresampleArguments& arguments);

// Return the figures as lines of text, or as a JSON object.
std::string PresampledText(const Presampled& figures);
std::string PresampledJson(const Presampled& figures);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_GRAPH_PRESAMPLE_H_
