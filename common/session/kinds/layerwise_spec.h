// The specification of layer-wise sampling, and the size of its batches.
#ifndef TRIBUTARY_COMMON_SESSION_KINDS_LAYERWISE_SPEC_H_
#define TRIBUTARY_COMMON_SESSION_KINDS_LAYERWISE_SPEC_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/session/spec_builder.h"

namespace tributary {

// The most nodes that one layer may sample.
inline constexpr uint32_t kMaxNodesOfLayer = 65536;

// How a layer's candidates are weighted.
enum class LayerImportance {
  kLadies,
  kUniform,
  kFastGcn,  // over all nodes of the graph: requires `partition --degrees`
};

// Parses "ladies", "uniform" or "fastgcn". INVALID_ARGUMENT with what is
// allowed.
absl::StatusOr<LayerImportance> ParseLayerImportance(absl::string_view text);

// The options of the kind `layerwise`. Names are those of DGL's LADIES example.
struct LayerwiseOptions {
  // The number of nodes that each layer samples, the layer next to the inputs
  // first.
  std::vector<uint32_t> nodes_per_layer;
  LayerImportance importance = LayerImportance::kLadies;
  std::string edge_type;  // "src,rel,dst"; empty: the graph's only one
};

// Checks that the graph has what `importance` needs: kFastGcn requires
// `degrees`. INVALID_ARGUMENT with the remedy.
absl::Status CheckImportanceOn(LayerImportance importance,
                               absl::string_view edge_type, bool degrees,
                               int64_t num_edges);

// Returns the bytes of the SessionSpec. Of `common`, only what all kinds share
// is read. INVALID_ARGUMENT, naming the option and what is allowed.
absl::StatusOr<std::string> BuildLayerwiseSpec(
    const SpecGraph& graph, const SpecOptions& common,
    const LayerwiseOptions& layerwise);

// The sizes that bound a batch; row bytes are those that are collected.
struct LayerwiseBoundInputs {
  std::string node_type, edge_type;
  uint64_t num_nodes = 0, num_edges = 0;
  uint64_t node_row_bytes = 0;  // x and y of one node
  uint64_t edge_row_bytes = 0;  // edge_attr of one edge
  uint64_t num_inputs = 0;      // of the largest batch
  std::vector<uint32_t> nodes_per_layer;
  bool degrees = false;        // in_degree and out_degree are collected
  bool omit_edge_ids = false;  // no e_id
};
// Returns bytes that no batch exceeds. Saturates at UINT64_MAX.
uint64_t LayerwiseBatchBytesBound(const LayerwiseBoundInputs& inputs);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_KINDS_LAYERWISE_SPEC_H_
