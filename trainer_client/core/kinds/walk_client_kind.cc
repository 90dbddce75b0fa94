#include "trainer_client/core/kinds/walk_client_kind.h"

#include <variant>

#include "common/proto/session.pb.h"
#include "common/session/kinds/walk_spec.h"
#include "common/text/status.h"
#include "trainer_client/core/kinds/node_inputs_kind.h"
#include "trainer_client/core/kinds/option_error.h"

namespace tributary {
namespace {

const WalkOptions& Of(const SessionOptions& options) {
  return std::get<WalkOptions>(options.kind);
}

class Kind final : public NodeInputsKind {
 public:
  absl::Status CheckNames(const SessionOptions& options) const override {
    for (const std::string& type : Of(options).metapath) {
      RETURN_IF_ERROR(CheckUtf8("metapath", type));
    }
    return absl::OkStatus();
  }
  absl::StatusOr<std::string> BuildSpec(const SessionOptions& options,
                                        const SpecGraph& graph,
                                        SpecOptions spec) const override {
    return BuildWalkSpec(graph, spec, Of(options));
  }
  void AddSampledTypes(const v1::SessionSpec& spec,
                       SampledTypes* types) const override {
    NodeInputsKind::AddSampledTypes(spec, types);
    for (const auto& step : spec.walk().step_types()) types->AddEnds(step);
  }
  // Walks may visit nodes of every type.
  uint64_t BatchBytesBound(const GraphSchema& schema,
                           const v1::SessionSpec& spec) const override {
    WalkBoundInputs bound;
    for (const auto& type : schema.node_types) {
      bound.node_types.push_back({type.name,
                                  static_cast<uint64_t>(type.num_nodes),
                                  NodeRowBytes(type, spec)});
    }
    bound.num_inputs = InputsOfLargestBatch(spec);
    bound.walk_length = spec.walk().length();
    bound.walks_per_node = spec.walk().walks_per_input();
    return WalkBatchBytesBound(bound);
  }
};

}  // namespace

const ClientKind& WalkClientKind() {
  static const Kind kind;
  return kind;
}

}  // namespace tributary
