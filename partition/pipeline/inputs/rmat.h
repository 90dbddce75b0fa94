// Generates graphs by R-MAT (Chakrabarti, Zhan, Faloutsos, SDM 2004), with
// labels, features and splits, for benchmarks and tests.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_RMAT_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_RMAT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/writer/content.h"

namespace tributary {

// The size, seed and columns of a generated graph.
struct RmatOptions {
  int scale = 16;        // 2^scale nodes; 1 to 32
  int64_t edges = 0;     // including parallel edges and loops; 0 to 2^40
  int64_t feat_dim = 0;  // 0: no features; at most 65536
  int64_t classes = 16;  // 1 to 65536
  uint64_t random_seed = 0;
  bool edge_weights = false;
  bool edge_times = false;
  bool node_times = false;
  std::vector<std::string>
      edge_masks;    // names of masks, each true of half of the edges
  std::string name;  // empty: "rmat-<scale>"
};

// Generates the graph that docs/graph-format.md defines for these options; it
// depends on nothing else. Edge i is a function of (seed, i); label and
// features of node v are functions of (seed, v). Features are computed when
// they are read and never stored. INVALID_ARGUMENT names an option that is out
// of range; RESOURCE_EXHAUSTED if the machine has too little memory.
absl::StatusOr<GraphContent> GenerateRmat(const RmatOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_RMAT_H_
