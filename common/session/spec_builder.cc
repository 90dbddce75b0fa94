#include "common/session/spec_builder.h"

#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/proto/session.pb.h"
#include "common/random/hop_key.h"
#include "common/session/limits.h"
#include "common/session/refuse.h"
#include "common/tensor/value_bytes.h"
#include "common/text/parse_number.h"
#include "common/text/status.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"

namespace tributary {
namespace {

v1::Shuffle ToProto(ShuffleMode shuffle) {
  switch (shuffle) {
    case ShuffleMode::kNone:
      return v1::SHUFFLE_NONE;
    case ShuffleMode::kLocal:
      return v1::SHUFFLE_LOCAL;
    case ShuffleMode::kWeighted:
      return v1::SHUFFLE_WEIGHTED;
    case ShuffleMode::kGlobal:
      break;
  }
  return v1::SHUFFLE_GLOBAL;
}

std::string BytesOf(const Sha256Digest& digest) {
  return std::string(digest.begin(), digest.end());
}

// Requires the lists to be in canonical order.
absl::Status FillLinkLists(const SpecGraph& graph, const LinkInputs& links,
                           v1::Inputs* inputs) {
  for (const auto& [name, count] : links.lists) {
    ASSIGN_OR_RETURN(const std::string type, ResolveInputEdgeType(graph, name));
    v1::LinkList* list = inputs->add_link_lists();
    list->set_edge_type(type);
    list->set_count(count);
  }
  return absl::OkStatus();
}

absl::Status FillInputs(const SpecGraph& graph, const SpecOptions& options,
                        v1::Inputs* inputs) {
  if (options.links.has_value()) {
    if (options.links->lists.empty()) {
      ASSIGN_OR_RETURN(const std::string type,
                       ResolveInputEdgeType(graph, options.links->edge_type));
      inputs->set_edge_type(type);
    }
    RETURN_IF_ERROR(FillLinkLists(graph, *options.links, inputs));
    inputs->set_label(static_cast<v1::LabelType>(options.links->label));
    inputs->set_edge_ids(options.links->edge_ids);
    inputs->set_negatives(options.links->negatives);
  } else {
    ASSIGN_OR_RETURN(const std::string type,
                     ResolveInputType(graph, options.input_type));
    inputs->set_node_type(type);
  }
  inputs->set_count(options.input_count);
  inputs->set_sha256(BytesOf(options.inputs_sha256));
  return absl::OkStatus();
}

absl::Status FillFeatureDType(const SpecOptions& options,
                              v1::SessionSpec* spec) {
  if (options.feature_dtype != FeatureDType::kStored &&
      !options.collect.has(CollectedColumn::kX) &&
      !options.collect.has(CollectedColumn::kEdgeAttr)) {
    return Refuse(
        "feature_dtype: ", std::string(FeatureDTypeName(options.feature_dtype)),
        ", but no features are collected; allowed: stored");
  }
  const auto code = static_cast<uint32_t>(options.feature_dtype);
  RETURN_IF_ERROR(FeatureDTypeFromCode(code).status());
  spec->set_feature_dtype(code);
  return absl::OkStatus();
}

std::string SerializeDeterministically(const v1::SessionSpec& spec) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);
    spec.SerializeToCodedStream(&out);
  }
  return bytes;
}

}  // namespace

absl::StatusOr<std::string> ResolveInputType(const SpecGraph& graph,
                                             std::string_view input_type) {
  const std::string allowed = absl::StrJoin(graph.node_types, ", ");
  const std::string type(input_type);
  if (type.empty()) {
    if (graph.node_types.size() == 1) return graph.node_types[0];
    return Refuse("input_nodes: graph '", graph.name, "' has ",
                  graph.node_types.size(), " node types; name one: ", allowed);
  }
  const auto& types = graph.node_types;
  if (std::find(types.begin(), types.end(), type) != types.end()) return type;
  return Refuse("input_nodes: node type '", type, "' is not in graph '",
                graph.name, "'; allowed: ", allowed);
}

absl::StatusOr<std::string> ResolveSelfEdgeType(const SpecGraph& graph,
                                                std::string_view edge_type,
                                                std::string_view input_type) {
  ASSIGN_OR_RETURN(const std::string node_type,
                   ResolveInputType(graph, input_type));
  const auto& types = graph.edge_types;
  const std::string allowed = absl::StrJoin(types, " ");
  if (edge_type.empty() && types.size() != 1) {
    return Refuse("edge_type: graph '", graph.name, "' has ", types.size(),
                  " edge types; name one: ", allowed);
  }
  const std::string found =
      edge_type.empty() ? types[0] : std::string(edge_type);
  if (std::find(types.begin(), types.end(), found) == types.end()) {
    return Refuse("edge_type: '", found, "' is not in graph '", graph.name,
                  "'; allowed: ", allowed);
  }
  if (absl::StartsWith(found, node_type + ",") &&
      absl::EndsWith(found, "," + node_type)) {
    return found;
  }
  return Refuse("edge_type: ", found, " is not from ", node_type,
                ", the inputs' type, to itself; the graph has ", allowed);
}

absl::StatusOr<std::string> ResolveInputEdgeType(const SpecGraph& graph,
                                                 std::string_view edge_type) {
  const std::string allowed = absl::StrJoin(graph.edge_types, " ");
  const std::string type(edge_type);
  const auto& types = graph.edge_types;
  if (type.empty()) {
    if (types.size() == 1) return types[0];
    return Refuse("input_edges: graph '", graph.name, "' has ", types.size(),
                  " edge types; name one: ", allowed);
  }
  if (std::find(types.begin(), types.end(), type) != types.end()) return type;
  return Refuse("input_edges: edge type '", type, "' is not in graph '",
                graph.name, "'; allowed: ", allowed);
}

absl::StatusOr<std::string> BuildSpecOfKind(
    const SpecGraph& graph, const SpecOptions& options,
    absl::FunctionRef<absl::Status(v1::SessionSpec*)> fill_kind) {
  if (options.batch_size == 0 || options.batch_size > kMaxBatchSize) {
    return Refuse("batch_size: ", options.batch_size, "; allowed: 1 to ",
                  kMaxBatchSize);
  }
  if (options.input_count == 0) {
    return Refuse(options.links.has_value() ? "input_edges" : "input_nodes",
                  ": the list is empty; allowed: 1 input or more");
  }
  v1::SessionSpec spec;
  RETURN_IF_ERROR(FillInputs(graph, options, spec.mutable_inputs()));
  RETURN_IF_ERROR(fill_kind(&spec));
  spec.set_semantics_version(kSemanticsVersion);
  spec.set_graph(graph.name);
  spec.set_content_digest(BytesOf(graph.content_digest));
  if (options.shuffle == ShuffleMode::kLocal) {
    spec.set_layout_digest(BytesOf(graph.layout_digest));
  }
  spec.set_random_seed(options.random_seed);
  spec.set_batch_size(options.batch_size);
  spec.set_shuffle(ToProto(options.shuffle));
  SetCollectedColumns(options.collect, &spec);
  RETURN_IF_ERROR(FillFeatureDType(options, &spec));
  spec.set_collect_degrees(options.collect_degrees);
  spec.set_omit_edge_ids(options.omit_edge_ids);
  return SerializeDeterministically(spec);
}

Sha256Digest InputsSha256(absl::Span<const int64_t> original_ids,
                          absl::Span<const int64_t> times) {
  Sha256 sha;
  sha.Update(ValueBytes(original_ids));
  if (!times.empty()) {
    sha.Update("time");
    sha.Update(ValueBytes(times));
  }
  return sha.Finish();
}

}  // namespace tributary
