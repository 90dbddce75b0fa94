// A session of random walks as its client asks for it: specification, bound.
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
// p and q: 1/100 to 100.
inline constexpr double kMaxWalkBias = 100;

struct WalkOptions {
  uint32_t walk_length = 0;     // steps
  uint32_t walks_per_node = 1;  // per input
  // Edge types "src,rel,dst" of the steps, over and over: a step goes from a
  // node of type dst to a neighbour of type src. Empty: the only edge type.
  std::vector<std::string> metapath;
  double restart_prob = 0;    // before each step
  bool restart_ends = false;  // the walk, instead of going back to its start
  double p = 1, q = 1;        // node2vec; 1, 1: all neighbours alike
};

// The SessionSpec's bytes; of `common`, what is common to all kinds.
// INVALID_ARGUMENT, naming the option and what is allowed.
absl::StatusOr<std::string> BuildWalkSpec(const SpecGraph& graph,
                                          const SpecOptions& common,
                                          const WalkOptions& walk);

// What a bound must know of the graph; row bytes are those that travel.
struct WalkBoundInputs {
  struct NodeType {
    std::string name;
    uint64_t num_nodes = 0;
    uint64_t row_bytes = 0;  // of x and y together
  };
  std::vector<NodeType> node_types;
  uint64_t num_inputs = 0;  // of the batch
  uint32_t walk_length = 0;
  uint32_t walks_per_node = 1;
};
// No batch is larger. Saturates at UINT64_MAX.
uint64_t WalkBatchBytesBound(const WalkBoundInputs& inputs);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_KINDS_WALK_SPEC_H_
