// A session of PPR top-k as its client asks for it: specification, bound.
#ifndef TRIBUTARY_COMMON_SESSION_KINDS_PPR_SPEC_H_
#define TRIBUTARY_COMMON_SESSION_KINDS_PPR_SPEC_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "common/session/spec_builder.h"

namespace tributary {

inline constexpr uint32_t kMaxPprTopK = 65536;
inline constexpr double kMinPprAlpha = 0.01;
// alpha x epsilon: 2^-24, since an input's pushes see 1 / (alpha x epsilon)
// edges at most.
inline constexpr double kMinPprAlphaEpsilon = 1.0 / 16777216;

// Names as PPRGo, IBMB and PyG's GDC have them.
struct PprOptions {
  uint32_t top_k = 0;       // nodes of each input, itself among them
  double alpha = 0.15;      // where a walk ends (networkx calls 1 - alpha so)
  double epsilon = 0.0001;  // what a node may keep back, by its degree
  std::string edge_type;    // "src,rel,dst"; empty: the only one
};

// The SessionSpec's bytes; of `common`, what is common to all kinds.
// INVALID_ARGUMENT, naming the option and what is allowed.
absl::StatusOr<std::string> BuildPprSpec(const SpecGraph& graph,
                                         const SpecOptions& common,
                                         const PprOptions& ppr);

// What a bound must know of the graph; row bytes are those that travel.
struct PprBoundInputs {
  std::string node_type;
  uint64_t num_nodes = 0;
  uint64_t row_bytes = 0;   // of x and y together
  uint64_t num_inputs = 0;  // of the batch
  uint32_t top_k = 0;
};
// No batch is larger. Saturates at UINT64_MAX.
uint64_t PprBatchBytesBound(const PprBoundInputs& inputs);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_KINDS_PPR_SPEC_H_
