#include "trainer_client/core/kinds/node_inputs_kind.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/proto/session.pb.h"
#include "common/text/status.h"
#include "partition/schema/spec_graph.h"
#include "trainer_client/core/kinds/input_list.h"
#include "trainer_client/core/kinds/option_error.h"

namespace tributary {

absl::Status NodeInputsKind::CheckOptions(const SessionOptions& options) const {
  return CheckInputList(options);
}

absl::StatusOr<std::vector<InputSource>> NodeInputsKind::InputSources(
    const SessionOptions& options, const GraphSchema& schema) const {
  RETURN_IF_ERROR(
      ResolveInputType(SpecGraphOf(schema), options.input_type).status());
  std::vector<InputSource> sources(1);
  sources[0].node_type = options.input_type;
  sources[0].split = options.input_split;
  return sources;
}

absl::StatusOr<SessionInputs> NodeInputsKind::MakeInputs(
    const SessionOptions& options, const GraphSchema& schema,
    std::vector<std::vector<int64_t>> splits) const {
  SessionInputs inputs;
  if (!options.input_split.empty()) {
    inputs.nodes = std::move(splits[0]);
    return inputs;
  }
  ASSIGN_OR_RETURN(const std::string type,
                   ResolveInputType(SpecGraphOf(schema), options.input_type));
  ASSIGN_OR_RETURN(
      inputs.nodes,
      InputIdsOf(options, schema.node_types[schema.FindNodeType(type)]));
  return inputs;
}

absl::Status NodeInputsKind::CheckOnGraph(const GraphSchema& schema,
                                          const v1::SessionSpec& spec,
                                          const SessionInputs& inputs) const {
  const int found = schema.FindNodeType(spec.inputs().node_type());
  if (found < 0) {
    return BadLoaderOption("input_type", spec.inputs().node_type(),
                           "a node type");
  }
  const NodeTypeSchema& type = schema.node_types[found];
  const std::vector<int64_t>& ids = inputs.nodes;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 0 && ids[i] < type.num_nodes) continue;
    return BadLoaderOption(
        absl::StrCat("input_nodes[", i, "]"), absl::StrCat(ids[i]),
        type.num_nodes == 0
            ? absl::StrCat("none, for node type ", type.name, " has no nodes")
            : absl::StrCat("0 to ", type.num_nodes - 1,
                           ", the original ids of node type ", type.name));
  }
  return absl::OkStatus();
}

void NodeInputsKind::AddSampledTypes(const v1::SessionSpec& spec,
                                     SampledTypes* types) const {
  types->AddNodes(spec.inputs().node_type());
}

}  // namespace tributary
