// The specification of the top k nodes by personalised PageRank (PPR), and the
// size of its batches.
#ifndef TRIBUTARY_COMMON_SESSION_KINDS_PPR_SPEC_H_
#define TRIBUTARY_COMMON_SESSION_KINDS_PPR_SPEC_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "common/session/spec_builder.h"

namespace tributary {

inline constexpr uint32_t kMaxPprTopK = 65536;
inline constexpr double kMinPprAlpha = 0.01;
// The smallest alpha x epsilon: one input's pushes visit at most 1 / (alpha x
// epsilon) edges.
inline constexpr double kMinPprAlphaEpsilon = 1.0 / 16777216;

// The options of the kind `ppr`. Names are those of PPRGo, IBMB and PyG's GDC.
struct PprOptions {
  uint32_t top_k = 0;  // nodes per input, itself included
  // The probability that a walk ends at a step (networkx's alpha is 1 - this).
  double alpha = 0.15;
  double epsilon = 0.0001;  // the largest residual of a node, per degree
  std::string edge_type;    // "src,rel,dst"; empty: the graph's only one
};

// Returns the bytes of the SessionSpec. Of `common`, only what all kinds share
// is read. INVALID_ARGUMENT, naming the option and what is allowed.
absl::StatusOr<std::string> BuildPprSpec(const SpecGraph& graph,
                                         const SpecOptions& common,
                                         const PprOptions& ppr);

// The sizes that bound a batch; row bytes are those that are collected.
struct PprBoundInputs {
  std::string node_type;
  uint64_t num_nodes = 0;
  uint64_t row_bytes = 0;   // x and y of one node
  uint64_t num_inputs = 0;  // of the largest batch
  uint32_t top_k = 0;
};
// Returns bytes that no batch exceeds. Saturates at UINT64_MAX.
uint64_t PprBatchBytesBound(const PprBoundInputs& inputs);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_KINDS_PPR_SPEC_H_
