// Graphs made up by R-MAT (Chakrabarti, Zhan, Faloutsos, SDM 2004), with
// labels, features and splits, for benchmarks and tests.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_RMAT_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_RMAT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/writer/content.h"

namespace tributary {

struct RmatOptions {
  int scale = 16;        // 2^scale nodes; 1 to 32
  int64_t edges = 0;     // parallels and loops included; 0 to 2^40
  int64_t feat_dim = 0;  // 0: no features; to 65536
  int64_t classes = 16;  // 1 to 65536
  uint64_t random_seed = 0;
  bool edge_weights = false;
  bool edge_times = false;
  bool node_times = false;
  std::vector<std::string> edge_masks;  // names; each of half of the edges
  std::string name;                     // empty: "rmat-<scale>"
};

// A pure function of the options, by the rules of docs/graph-format.md, whoever
// computes it: edge i, node v's label and its features are functions of (seed,
// i) or (seed, v). Features are computed when they are read and never held.
// INVALID_ARGUMENT names an option that is out of range; RESOURCE_EXHAUSTED:
// more than this machine holds.
absl::StatusOr<GraphContent> GenerateRmat(const RmatOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_RMAT_H_
