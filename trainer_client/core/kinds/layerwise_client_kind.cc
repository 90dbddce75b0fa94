#include "trainer_client/core/kinds/layerwise_client_kind.h"

#include <variant>

#include "common/proto/session.pb.h"
#include "common/session/kinds/layerwise_spec.h"
#include "common/text/status.h"
#include "trainer_client/core/kinds/node_inputs_kind.h"
#include "trainer_client/core/kinds/option_error.h"

namespace tributary {
namespace {

const LayerwiseOptions& Of(const SessionOptions& options) {
  return std::get<LayerwiseOptions>(options.kind);
}

class Kind final : public NodeInputsKind {
 public:
  absl::Status CheckNames(const SessionOptions& options) const override {
    return CheckUtf8("edge_type", Of(options).edge_type);
  }
  absl::StatusOr<std::string> BuildSpec(const SessionOptions& options,
                                        const SpecGraph& graph,
                                        SpecOptions spec) const override {
    return BuildLayerwiseSpec(graph, spec, Of(options));
  }
  absl::Status CheckOnGraph(const GraphSchema& schema,
                            const v1::SessionSpec& spec,
                            const SessionInputs& inputs) const override {
    const v1::LayerwiseSampling& layerwise = spec.layerwise();
    const int found = schema.FindEdgeType(layerwise.edge_type());
    if (found < 0) {
      return BadLoaderOption("edge_type", layerwise.edge_type(),
                             "an edge type");
    }
    const EdgeTypeSchema& type = schema.edge_types[found];
    // The specification's values begin at 1.
    const auto importance =
        static_cast<LayerImportance>(layerwise.importance() - 1);
    RETURN_IF_ERROR(CheckImportanceOn(importance, type.name(), type.degrees,
                                      type.num_edges));
    return NodeInputsKind::CheckOnGraph(schema, spec, inputs);
  }
  void AddSampledTypes(const v1::SessionSpec& spec,
                       SampledTypes* types) const override {
    NodeInputsKind::AddSampledTypes(spec, types);
    types->AddEdges(spec.layerwise().edge_type(), EdgeDirection::kIn);
  }
  uint64_t BatchBytesBound(const GraphSchema& schema,
                           const v1::SessionSpec& spec) const override {
    const v1::LayerwiseSampling& layerwise = spec.layerwise();
    const EdgeTypeSchema& type =
        schema.edge_types[schema.FindEdgeType(layerwise.edge_type())];
    const NodeTypeSchema& node_type = schema.node_types[type.src_type];
    LayerwiseBoundInputs bound;
    bound.node_type = node_type.name;
    bound.edge_type = type.name();
    bound.num_nodes = static_cast<uint64_t>(node_type.num_nodes);
    bound.num_edges = static_cast<uint64_t>(type.num_edges);
    bound.node_row_bytes = NodeRowBytes(node_type, spec);
    bound.edge_row_bytes = EdgeRowBytes(type, spec);
    bound.num_inputs = InputsOfLargestBatch(spec);
    bound.nodes_per_layer.assign(layerwise.nodes_per_layer().begin(),
                                 layerwise.nodes_per_layer().end());
    bound.degrees = spec.collect_degrees();
    bound.omit_edge_ids = spec.omit_edge_ids();
    return LayerwiseBatchBytesBound(bound);
  }
};

}  // namespace

const ClientKind& LayerwiseClientKind() {
  static const Kind kind;
  return kind;
}

}  // namespace tributary
