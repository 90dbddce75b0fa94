// A session of layer-wise sampling as its client asks for it: specification,
// bound.
#ifndef TRIBUTARY_COMMON_SESSION_KINDS_LAYERWISE_SPEC_H_
#define TRIBUTARY_COMMON_SESSION_KINDS_LAYERWISE_SPEC_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/session/spec_builder.h"

namespace tributary {

inline constexpr uint32_t kMaxNodesOfLayer = 65536;

enum class LayerImportance {
  kLadies,
  kUniform,
  kFastGcn,  // of all nodes of the graph: it needs `partition --degrees`
};

// "ladies", "uniform" or "fastgcn". INVALID_ARGUMENT with what is allowed.
absl::StatusOr<LayerImportance> ParseLayerImportance(absl::string_view text);

// Names as DGL's LADIES example has them.
struct LayerwiseOptions {
  // Nodes that a layer draws, the layer next to the inputs first.
  std::vector<uint32_t> nodes_per_layer;
  LayerImportance importance = LayerImportance::kLadies;
  std::string edge_type;  // "src,rel,dst"; empty: the only one
};

// Whether the graph has what `importance` needs. INVALID_ARGUMENT with what to
// do.
absl::Status CheckImportanceOn(LayerImportance importance,
                               absl::string_view edge_type, bool degrees,
                               int64_t num_edges);

// The SessionSpec's bytes; of `common`, what is common to all kinds.
// INVALID_ARGUMENT, naming the option and what is allowed.
absl::StatusOr<std::string> BuildLayerwiseSpec(
    const SpecGraph& graph, const SpecOptions& common,
    const LayerwiseOptions& layerwise);

// What a bound must know of the graph; row bytes are those that travel.
struct LayerwiseBoundInputs {
  std::string node_type, edge_type;
  uint64_t num_nodes = 0, num_edges = 0;
  uint64_t node_row_bytes = 0;  // of x and y together
  uint64_t edge_row_bytes = 0;
  uint64_t num_inputs = 0;  // of the batch
  std::vector<uint32_t> nodes_per_layer;
};
// No batch is larger. Saturates at UINT64_MAX.
uint64_t LayerwiseBatchBytesBound(const LayerwiseBoundInputs& inputs);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_KINDS_LAYERWISE_SPEC_H_
