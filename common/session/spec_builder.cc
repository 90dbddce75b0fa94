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

absl::StatusOr<std::vector<int32_t>> ParseFanouts(absl::string_view text) {
  std::vector<int32_t> fanouts;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    const std::optional<int32_t> fanout = ParseNumber<int32_t>(part);
    if (!fanout) {
      return Refuse("num_neighbors: '", part, "' in '", text,
                    "' is no number; allowed: -1 (all) to ", kMaxFanout,
                    " per hop, separated by commas");
    }
    fanouts.push_back(*fanout);
  }
  return fanouts;
}

absl::Status ParseEntry(absl::string_view entry, bool first,
                        NumNeighbors* result) {
  const size_t equals = entry.rfind('=');
  if (equals == absl::string_view::npos) {
    if (!first) {
      return Refuse("num_neighbors: '", entry,
                    "' names no edge type; allowed: src,rel,dst=2,1");
    }
    ASSIGN_OR_RETURN(result->by_default, ParseFanouts(entry));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(auto fanouts, ParseFanouts(entry.substr(equals + 1)));
  const std::string type(entry.substr(0, equals));
  if (!result->by_edge_type.emplace(type, std::move(fanouts)).second) {
    return Refuse("num_neighbors: edge type ", type, " is named twice");
  }
  return absl::OkStatus();
}

absl::StatusOr<int> NumHops(const NumNeighbors& neighbors) {
  size_t hops = neighbors.by_default.size();
  if (hops == 0 && !neighbors.by_edge_type.empty()) {
    hops = neighbors.by_edge_type.begin()->second.size();
  }
  if (hops < 1 || hops > static_cast<size_t>(kMaxHops)) {
    return Refuse("num_neighbors: ", hops, " hops; allowed: 1 to ", kMaxHops);
  }
  return static_cast<int>(hops);
}

absl::Status CheckFanouts(absl::string_view whose,
                          const std::vector<int32_t>& fanouts, int num_hops) {
  if (static_cast<int>(fanouts.size()) != num_hops) {
    return Refuse("num_neighbors: ", whose, " has ", fanouts.size(),
                  " hops, others ", num_hops, "; allowed: one length for all");
  }
  for (int32_t fanout : fanouts) {
    if (fanout >= -1 && fanout <= kMaxFanout) continue;
    return Refuse("num_neighbors: ", whose, " has ", fanout,
                  "; allowed: -1 (all) to ", kMaxFanout);
  }
  return absl::OkStatus();
}

absl::Status CheckFanoutTypes(const SpecGraph& graph,
                              const NumNeighbors& neighbors) {
  for (const auto& [type, fanouts] : neighbors.by_edge_type) {
    if (std::find(graph.edge_types.begin(), graph.edge_types.end(), type) ==
        graph.edge_types.end()) {
      return Refuse("num_neighbors: edge type '", type, "' is not in graph '",
                    graph.name,
                    "'; allowed: ", absl::StrJoin(graph.edge_types, " "));
    }
  }
  if (!graph.edge_types.empty()) return absl::OkStatus();
  return Refuse("graph '", graph.name, "' has no edge types to sample");
}

absl::Status FillFanouts(const SpecGraph& graph, const SpecOptions& options,
                         v1::NeighborSampling* neighbor) {
  const NumNeighbors& neighbors = options.num_neighbors;
  RETURN_IF_ERROR(CheckNumNeighbors(neighbors));
  RETURN_IF_ERROR(CheckFanoutTypes(graph, neighbors));
  ASSIGN_OR_RETURN(const int num_hops, NumHops(neighbors));
  for (const std::string& type : graph.edge_types) {
    auto named = neighbors.by_edge_type.find(type);
    std::vector<int32_t> fanouts;
    if (named != neighbors.by_edge_type.end()) {
      fanouts = named->second;
    } else if (options.draws.edge_dir != EdgeDirection::kBoth ||
               graph.reverses.count(type) == 0) {
      fanouts = neighbors.by_default;
    }
    fanouts.resize(num_hops, 0);
    v1::EdgeTypeFanout* entry = neighbor->add_fanouts();
    entry->set_edge_type(type);
    entry->mutable_per_hop()->Add(fanouts.begin(), fanouts.end());
  }
  neighbor->set_replace(options.replace);
  neighbor->set_expand(options.expand == ExpandMode::kNew ? v1::EXPAND_NEW
                                                          : v1::EXPAND_ALL);
  return absl::OkStatus();
}

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
      !options.collect_features) {
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

absl::Status FillNeighbors(const SpecGraph& graph, const SpecOptions& options,
                           v1::NeighborSampling* neighbor,
                           v1::SessionSpec* spec) {
  RETURN_IF_ERROR(FillFanouts(graph, options, neighbor));
  FillDraws(options.draws, neighbor, spec);
  FillSubgraph(options.subgraph, neighbor);
  spec->set_batch_size(options.batch_size);
  RETURN_IF_ERROR(CheckDraws(*spec));
  return CheckSubgraph(*spec);
}

absl::StatusOr<NumNeighbors> ParseNumNeighbors(std::string_view text) {
  NumNeighbors result;
  bool first = true;
  const absl::string_view view(text.data(), text.size());
  for (absl::string_view entry : absl::StrSplit(view, ';')) {
    RETURN_IF_ERROR(ParseEntry(entry, first, &result));
    first = false;
  }
  return result;
}

absl::Status CheckNumNeighbors(const NumNeighbors& neighbors) {
  ASSIGN_OR_RETURN(const int num_hops, NumHops(neighbors));
  if (!neighbors.by_default.empty()) {
    RETURN_IF_ERROR(
        CheckFanouts("the default", neighbors.by_default, num_hops));
  }
  for (const auto& [type, fanouts] : neighbors.by_edge_type) {
    RETURN_IF_ERROR(CheckFanouts(type, fanouts, num_hops));
  }
  return absl::OkStatus();
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
  spec.set_collect_features(options.collect_features);
  RETURN_IF_ERROR(FillFeatureDType(options, &spec));
  spec.set_collect_degrees(options.collect_degrees);
  return SerializeDeterministically(spec);
}

absl::StatusOr<std::string> BuildSessionSpec(const SpecGraph& graph,
                                             const SpecOptions& options) {
  return BuildSpecOfKind(graph, options, [&](v1::SessionSpec* spec) {
    return FillNeighbors(graph, options, spec->mutable_neighbor(), spec);
  });
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
