#include "trainer_client/core/kinds/ppr_client_kind.h"

#include <variant>

#include "common/proto/session.pb.h"
#include "common/session/kinds/ppr_spec.h"
#include "trainer_client/core/kinds/node_inputs_kind.h"
#include "trainer_client/core/kinds/option_error.h"

namespace tributary {
namespace {

const PprOptions& Of(const SessionOptions& options) {
  return std::get<PprOptions>(options.kind);
}

// All nodes of a batch are of the inputs' type.
class Kind final : public NodeInputsKind {
 public:
  absl::Status CheckNames(const SessionOptions& options) const override {
    return CheckUtf8("edge_type", Of(options).edge_type);
  }
  absl::StatusOr<std::string> BuildSpec(const SessionOptions& options,
                                        const SpecGraph& graph,
                                        SpecOptions spec) const override {
    return BuildPprSpec(graph, spec, Of(options));
  }
  uint64_t BatchBytesBound(const GraphSchema& schema,
                           const v1::SessionSpec& spec) const override {
    const NodeTypeSchema& type =
        schema.node_types[schema.FindNodeType(spec.inputs().node_type())];
    PprBoundInputs bound;
    bound.node_type = type.name;
    bound.num_nodes = static_cast<uint64_t>(type.num_nodes);
    bound.row_bytes = NodeRowBytes(type, spec);
    bound.num_inputs = InputsOfLargestBatch(spec);
    bound.top_k = spec.ppr().top_k();
    return PprBatchBytesBound(bound);
  }
};

}  // namespace

const ClientKind& PprClientKind() {
  static const Kind kind;
  return kind;
}

}  // namespace tributary
