#include "common/session/kinds/layerwise_spec.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/proto/session.pb.h"
#include "common/random/degree_weight.h"
#include "common/session/limits.h"
#include "common/session/refuse.h"
#include "common/session/saturating.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::Status CheckLayers(const std::vector<uint32_t>& layers) {
  if (layers.empty() || layers.size() > static_cast<size_t>(kMaxHops)) {
    return Refuse("nodes_per_layer: ", layers.size(), " layers; allowed: 1 to ",
                  kMaxHops);
  }
  for (const uint32_t nodes : layers) {
    if (nodes >= 1 && nodes <= kMaxNodesOfLayer) continue;
    return Refuse("nodes_per_layer: ", nodes, "; allowed: 1 to ",
                  kMaxNodesOfLayer);
  }
  return absl::OkStatus();
}

v1::LayerImportance ToProto(LayerImportance importance) {
  switch (importance) {
    case LayerImportance::kLadies:
      return v1::LAYER_IMPORTANCE_LADIES;
    case LayerImportance::kUniform:
      return v1::LAYER_IMPORTANCE_UNIFORM;
    case LayerImportance::kFastGcn:
      break;
  }
  return v1::LAYER_IMPORTANCE_FASTGCN;
}

}  // namespace

absl::StatusOr<LayerImportance> ParseLayerImportance(absl::string_view text) {
  if (text == "ladies") return LayerImportance::kLadies;
  if (text == "uniform") return LayerImportance::kUniform;
  if (text == "fastgcn") return LayerImportance::kFastGcn;
  return Refuse("importance: '", text, "'; allowed: ladies, uniform, fastgcn");
}

absl::Status CheckImportanceOn(LayerImportance importance,
                               absl::string_view edge_type, bool degrees,
                               int64_t num_edges) {
  if (importance != LayerImportance::kFastGcn) return absl::OkStatus();
  return CheckWeighedDegrees("importance fastgcn", "ladies, uniform", edge_type,
                             degrees, num_edges);
}

absl::StatusOr<std::string> BuildLayerwiseSpec(
    const SpecGraph& graph, const SpecOptions& common,
    const LayerwiseOptions& layerwise) {
  RETURN_IF_ERROR(CheckLayers(layerwise.nodes_per_layer));
  ASSIGN_OR_RETURN(
      const std::string edge_type,
      ResolveSelfEdgeType(graph, layerwise.edge_type, common.input_type));
  return BuildSpecOfKind(graph, common, [&](v1::SessionSpec* spec) {
    v1::LayerwiseSampling* message = spec->mutable_layerwise();
    for (const uint32_t nodes : layerwise.nodes_per_layer) {
      message->add_nodes_per_layer(nodes);
    }
    message->set_importance(ToProto(layerwise.importance));
    message->set_edge_type(edge_type);
    return absl::OkStatus();
  });
}

uint64_t LayerwiseBatchBytesBound(const LayerwiseBoundInputs& in) {
  constexpr uint64_t kPerTensor = 256;  // its entry, padding, and a short name
  const uint64_t layers = in.nodes_per_layer.size();
  uint64_t nodes = in.num_inputs;
  for (const uint32_t more : in.nodes_per_layer)
    nodes = SaturatingAdd(nodes, more);
  nodes = std::min(nodes, in.num_nodes);
  // n_id, in_degree, out_degree.
  const uint64_t node_bytes = in.degrees ? 24 : 8;
  // edge_index, e_id, edge_weight; in a layer, an edge comes once.
  uint64_t bytes = SaturatingMultiply(
      SaturatingMultiply(layers, in.num_edges),
      SaturatingAdd(8 + (in.omit_edge_ids ? 0 : 8) + 4, in.edge_row_bytes));
  bytes = SaturatingAdd(
      bytes,
      SaturatingMultiply(nodes, SaturatingAdd(node_bytes, in.node_row_bytes)));
  bytes = SaturatingAdd(bytes, SaturatingMultiply(in.num_inputs, 8 + 4));
  bytes = SaturatingAdd(bytes, (2 * layers + 1) * 8 + 256);
  const uint64_t tensors = in.degrees ? 14 : 12;
  return SaturatingAdd(bytes, tensors * (kPerTensor + 2 * in.node_type.size() +
                                         2 * in.edge_type.size()));
}

}  // namespace tributary
