// Generates graphs by R-MAT (Chakrabarti, Zhan, Faloutsos, SDM 2004), with
// labels, features and splits, for benchmarks and tests.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_RMAT_RMAT_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_RMAT_RMAT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/tensor/dtype.h"
#include "partition/source/graph_source.h"
#include "partition/writer/content.h"

namespace tributary {

// The size, seed and columns of a generated graph.
struct RmatOptions {
  int scale = 16;        // 2^scale nodes; 1 to 32
  int64_t edges = 0;     // including parallel edges and loops; 0 to 2^40
  int64_t feat_dim = 0;  // 0: no features; at most 65536
  DType feat_dtype = DType::kFloat32;  // or kFloat16
  int64_t classes = 16;                // 1 to 65536
  uint64_t random_seed = 0;
  bool edge_weights = false;
  bool edge_times = false;
  bool node_times = false;
  std::vector<std::string>
      edge_masks;    // names of masks, each true of half of the edges
  std::string name;  // empty: "rmat-<scale>"
};

// INVALID_ARGUMENT names an option that is out of range.
absl::Status CheckRmatOptions(const RmatOptions& options);

// Describes the graph that docs/graph-format.md defines for these options; it
// depends on nothing else. Edge i is a function of (seed, i); label and
// features of node v are functions of (seed, v). All columns are computed when
// they are read: the source takes 1.6 bytes a node for the splits, and 4 bytes
// a node up to 2^26 nodes. INVALID_ARGUMENT as CheckRmatOptions.
absl::StatusOr<GraphSource> GenerateRmatSource(const RmatOptions& options);

// Generates the same graph with its edges in memory; features are computed when
// they are read and never stored. RESOURCE_EXHAUSTED if the machine has too
// little memory.
absl::StatusOr<GraphContent> GenerateRmat(const RmatOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_RMAT_RMAT_H_
