// The specification of random walks, and the size of their batches.
#ifndef TRIBUTARY_COMMON_SESSION_KINDS_WALK_SPEC_H_
#define TRIBUTARY_COMMON_SESSION_KINDS_WALK_SPEC_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/session/spec_builder.h"

namespace tributary {

inline constexpr uint32_t kMaxWalkLength = 65535;
inline constexpr uint32_t kMaxWalksPerNode = 65536;
// p and q are 1 / kMaxWalkBias to kMaxWalkBias.
inline constexpr double kMaxWalkBias = 100;

// The options of the kind `walk`. Names are those of PyG and DGL.
struct WalkOptions {
  uint32_t walk_length = 0;     // steps: a walk has one node more
  uint32_t walks_per_node = 1;  // per input
  // The edge types "src,rel,dst" of the steps, repeated as often as needed: a
  // step goes from a node of type dst to a neighbour of type src. Empty: the
  // graph's only edge type.
  std::vector<std::string> metapath;
  double restart_prob = 0;  // at each step, before it is taken
  // A restart ends the walk instead of returning to its start.
  bool restart_ends = false;
  double p = 1, q = 1;  // node2vec; 1, 1: all neighbours alike
};

// Returns the bytes of the SessionSpec. Of `common`, only what all kinds share
// is read. INVALID_ARGUMENT, naming the option and what is allowed.
absl::StatusOr<std::string> BuildWalkSpec(const SpecGraph& graph,
                                          const SpecOptions& common,
                                          const WalkOptions& walk);

// The sizes that bound a batch; row bytes are those that are collected.
struct WalkBoundInputs {
  struct NodeType {
    std::string name;
    uint64_t num_nodes = 0;
    uint64_t row_bytes = 0;  // x and y of one node
  };
  std::vector<NodeType> node_types;
  uint64_t num_inputs = 0;  // of the largest batch
  uint32_t walk_length = 0;
  uint32_t walks_per_node = 1;
};
// Returns bytes that no batch exceeds. Saturates at UINT64_MAX.
uint64_t WalkBatchBytesBound(const WalkBoundInputs& inputs);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_KINDS_WALK_SPEC_H_
