#include "trainer_client/core/session/neighbor_session.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/proto/session.pb.h"
#include "common/session/batch_bound.h"
#include "common/session/limits.h"
#include "common/session/spec_builder.h"
#include "common/text/status.h"
#include "partition/schema/draw_traits.h"
#include "partition/schema/edge_direction.h"
#include "trainer_client/core/session/collected_features.h"
#include "trainer_client/core/session/input_list.h"
#include "trainer_client/core/session/link_request.h"
#include "trainer_client/core/session/link_session.h"
#include "trainer_client/core/session/session_bound.h"
#include "trainer_client/core/session/session_names.h"

namespace tributary {
namespace {

absl::Status Bad(absl::string_view field, absl::string_view value,
                 absl::string_view allowed) {
  return absl::InvalidArgumentError(absl::StrCat(
      "NeighborLoaderOptions.", field, " is ", value, "; allowed: ", allowed));
}

SpecGraph ToSpecGraph(const GraphSchema& schema) {
  SpecGraph graph;
  graph.name = schema.name;
  graph.content_digest = schema.content_digest;
  graph.layout_digest = schema.layout_digest;
  for (const auto& type : schema.node_types) {
    graph.node_types.push_back(type.name);
  }
  for (size_t t = 0; t < schema.edge_types.size(); ++t) {
    if (!schema.IsVisible(static_cast<int>(t))) continue;
    graph.edge_types.push_back(schema.edge_types[t].name());
    if (schema.edge_types[t].reverse) {
      graph.reverses.insert(graph.edge_types.back());
    }
  }
  return graph;
}

InputTimeMode TimesOf(const NeighborLoaderOptions& options) {
  const bool given = options.link.has_value() ? HasTimes(*options.link)
                                              : !options.input_time.empty();
  if (given) return InputTimeMode::kGiven;
  const DrawOptions& draws = options.draws;
  return draws.input_time == InputTimeMode::kNone &&
                 draws.time != TimeMode::kNone
             ? InputTimeMode::kOwn
             : draws.input_time;
}

// What the session's batches take their inputs from.
struct SessionInputs {
  std::vector<int64_t> nodes;
  LinkColumns links;  // instead, of a session of links
  LinkInputs link_inputs;
  std::vector<int64_t> times;
  std::vector<double> weights;

  size_t size() const { return links.empty() ? nodes.size() : links.size(); }
  Sha256Digest Sha256() const {
    return WithWeights(
        links.empty() ? InputsSha256(nodes, times) : LinksSha256(links, times),
        weights);
  }
};

// One for each input; none when they are not given.
absl::StatusOr<std::vector<int64_t>> SpreadTimes(
    const NeighborLoaderOptions& options, size_t num_inputs) {
  const std::vector<int64_t>& times = options.input_time;
  const bool given = TimesOf(options) == InputTimeMode::kGiven;
  if (!given || times.size() == num_inputs) return times;
  if (times.size() == 1) return std::vector<int64_t>(num_inputs, times[0]);
  return Bad("input_time", absl::StrCat(times.size(), " times"),
             absl::StrCat(num_inputs, ", one for each input, or 1 for all"));
}

absl::StatusOr<SessionInputs> InputsOf(const NeighborLoaderOptions& options,
                                       const GraphSchema& schema,
                                       std::vector<int64_t> nodes) {
  SessionInputs inputs;
  inputs.weights = options.input_weight;
  if (!options.link.has_value()) {
    inputs.nodes = std::move(nodes);
    ASSIGN_OR_RETURN(inputs.times, SpreadTimes(options, inputs.size()));
    return inputs;
  }
  ASSIGN_OR_RETURN(JoinedLinks joined,
                   JoinLinks(ToSpecGraph(schema), *options.link));
  inputs.links = std::move(joined.links);
  inputs.link_inputs = std::move(joined.inputs);
  inputs.times = std::move(joined.times);
  return inputs;
}

SpecOptions ToSpecOptions(const NeighborLoaderOptions& options,
                          const SessionInputs& inputs) {
  SpecOptions spec;
  spec.input_type = options.input_type;
  if (options.link.has_value()) {
    spec.links = inputs.link_inputs;
  }
  spec.input_count = inputs.size();
  spec.inputs_sha256 = inputs.Sha256();
  spec.num_neighbors.by_default = options.num_neighbors;
  for (const auto& [type, fanouts] : options.num_neighbors_by_type) {
    spec.num_neighbors.by_edge_type[type] = fanouts;
  }
  spec.batch_size = options.batch_size;
  spec.random_seed = options.random_seed;
  spec.shuffle =
      inputs.weights.empty() ? options.shuffle : ShuffleMode::kWeighted;
  spec.replace = options.replace;
  spec.expand = options.expand_all ? ExpandMode::kAll : ExpandMode::kNew;
  spec.draws = options.draws;
  spec.draws.input_time = TimesOf(options);
  spec.subgraph = options.subgraph;
  spec.collect_features = options.collect_features;
  spec.feature_dtype = options.feature_dtype;
  return spec;
}

absl::StatusOr<std::string> SpecBytesOf(const NeighborLoaderOptions& options,
                                        const SpecGraph& graph,
                                        const SpecOptions& common) {
  if (options.walk.has_value()) {
    return BuildWalkSpec(graph, common, *options.walk);
  }
  if (options.ppr.has_value()) return BuildPprSpec(graph, common, *options.ppr);
  if (options.layerwise.has_value()) {
    return BuildLayerwiseSpec(graph, common, *options.layerwise);
  }
  if (options.link.has_value()) {
    return BuildLinkSpec(graph, common, NegativesOf(*options.link),
                         options.link->exclude, options.link->enclosing);
  }
  return BuildSessionSpec(graph, common);
}

// What the graph has for the edge types that are sampled.
absl::StatusOr<DrawTraits> TraitsOf(const GraphSchema& schema,
                                    const v1::SessionSpec& spec) {
  const auto direction =
      static_cast<EdgeDirection>(NeighborsOf(spec).edge_dir());
  DrawTraits traits;
  std::vector<int> sampled;
  for (const auto& wanted : NeighborsOf(spec).fanouts()) {
    const int i = schema.FindEdgeType(wanted.edge_type());
    const auto& per_hop = wanted.per_hop();
    if (i < 0 ||
        (schema.heterogeneous &&
         std::count(per_hop.begin(), per_hop.end(), 0) == per_hop.size())) {
      continue;
    }
    sampled.push_back(i);
    ASSIGN_OR_RETURN(const std::vector<int> drawn,
                     DrawnTypes(schema, i, direction));
    for (const int type : drawn) {
      traits.planned.push_back(DrawTraitsOf(schema.edge_types[type]));
      traits.planned.back().name = wanted.edge_type();
    }
  }
  RETURN_IF_ERROR(CheckDrawnOnce(schema, sampled, direction));
  const int input = schema.FindNodeType(spec.inputs().node_type());
  traits.input_type = spec.inputs().node_type();
  traits.input_times = input >= 0 && schema.node_types[input].timed;
  return traits;
}

absl::Status CheckIds(const NodeTypeSchema& type,
                      const std::vector<int64_t>& ids) {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 0 && ids[i] < type.num_nodes) continue;
    return Bad(
        absl::StrCat("input_nodes[", i, "]"), absl::StrCat(ids[i]),
        type.num_nodes == 0
            ? absl::StrCat("none, for node type ", type.name, " has no nodes")
            : absl::StrCat("0 to ", type.num_nodes - 1,
                           ", the original ids of node type ", type.name));
  }
  return absl::OkStatus();
}

absl::Status CheckLayerwiseOn(const GraphSchema& schema,
                              const v1::LayerwiseSampling& layerwise) {
  const int found = schema.FindEdgeType(layerwise.edge_type());
  if (found < 0) return Bad("edge_type", layerwise.edge_type(), "an edge type");
  const EdgeTypeSchema& type = schema.edge_types[found];
  return CheckImportanceOn(
      static_cast<LayerImportance>(layerwise.importance() - 1), type.name(),
      type.degrees, type.num_edges);
}

absl::Status CheckInputs(const GraphSchema& schema, const v1::SessionSpec& spec,
                         const SessionInputs& inputs) {
  if (spec.has_link()) return CheckLinkEnds(schema, spec, inputs.links);
  if (spec.has_layerwise()) {
    RETURN_IF_ERROR(CheckLayerwiseOn(schema, spec.layerwise()));
  }
  const int type = schema.FindNodeType(spec.inputs().node_type());
  if (type < 0) {
    return Bad("input_type", spec.inputs().node_type(), "a node type");
  }
  return CheckIds(schema.node_types[type], inputs.nodes);
}

EpochOrderOptions OrderOf(const NeighborLoaderOptions& options,
                          uint64_t num_inputs) {
  return {.num_inputs = num_inputs,
          .batch_size = options.batch_size,
          .random_seed = options.random_seed,
          .shuffle = options.shuffle != ShuffleMode::kNone,
          .drop_last = options.drop_last,
          .rank = options.rank,
          .world = options.world};
}

absl::Status CheckInputLists(const NeighborLoaderOptions& options) {
  return options.link.has_value() ? CheckLinkRequest(options)
                                  : CheckInputList(options);
}

// What only neighbours have does not go with another kind.
absl::Status CheckOtherKinds(const NeighborLoaderOptions& options) {
  const int others = options.walk.has_value() + options.ppr.has_value() +
                     options.layerwise.has_value() + options.link.has_value();
  if (others > 1) {
    return Bad("walk", "given beside another kind",
               "one of walk, ppr, layerwise and link");
  }
  if (others == 0 || options.link.has_value()) return absl::OkStatus();
  const char* const kind = options.walk.has_value()  ? "given with walks"
                           : options.ppr.has_value() ? "given with PPR"
                                                     : "given with layers";
  if (options.draws != DrawOptions() || !options.input_time.empty()) {
    return Bad(
        "draws", kind,
        "none: weights, times, trees, masks and predicates are for neighbours");
  }
  if (options.subgraph == SubgraphOptions()) return absl::OkStatus();
  return Bad("subgraph", kind, "none: which edges there are is for neighbours");
}

}  // namespace

absl::Status CheckLoaderOptions(const NeighborLoaderOptions& options) {
  if (options.shuffle == ShuffleMode::kLocal) {
    return absl::UnimplementedError(
        "NeighborLoaderOptions.shuffle is local, which is not available yet; "
        "allowed: global, none");
  }
  if (options.shuffle == ShuffleMode::kWeighted) {
    return Bad("shuffle", "weighted", "global, with input_weight");
  }
  if (options.batch_size < 1 || options.batch_size > kMaxBatchSize) {
    return Bad("batch_size", absl::StrCat(options.batch_size),
               absl::StrCat("1 to ", kMaxBatchSize));
  }
  if (options.world < 1 || options.rank >= options.world) {
    return Bad("rank",
               absl::StrCat(options.rank, " of a world of ", options.world),
               "0 to world - 1, in a world of at least 1");
  }
  RETURN_IF_ERROR(CheckOtherKinds(options));
  RETURN_IF_ERROR(CheckInputLists(options));
  DrawOptions draws = options.draws;
  draws.input_time = TimesOf(options);
  RETURN_IF_ERROR(CheckDrawOptions(draws, options.replace));
  RETURN_IF_ERROR(CheckSubgraphOptions(options.subgraph, draws));
  return CheckNames(options);
}

absl::StatusOr<AcceptedGraph> AcceptedGraph::From(
    const ServerDescription& first) {
  AcceptedGraph graph;
  graph.json = first.graph_json;
  ASSIGN_OR_RETURN(graph.schema, GraphSchema::FromJson(first.graph_json));
  return graph;
}

absl::Status AcceptedGraph::Check(const ServerDescription& other) const {
  if (other.graph_json == json) return absl::OkStatus();
  ASSIGN_OR_RETURN(const GraphSchema theirs,
                   GraphSchema::FromJson(other.graph_json));
  if (theirs.content_digest == schema.content_digest) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("it serves the graph ", theirs.name, " with content digest ",
                   ToHex(theirs.content_digest), ", the first server ",
                   schema.name, " with ", ToHex(schema.content_digest)));
}

absl::StatusOr<std::vector<std::string>> InputTypesOf(
    const NeighborLoaderOptions& options, const GraphSchema& schema) {
  if (options.homogeneous && schema.heterogeneous) {
    return absl::InvalidArgumentError(
        absl::StrCat("graph ", schema.name,
                     " is typed (heterogeneous); allowed here: homogeneous "
                     "graphs"));
  }
  const SpecGraph graph = ToSpecGraph(schema);
  std::vector<std::string> types;
  if (!options.link.has_value()) {
    ASSIGN_OR_RETURN(types.emplace_back(),
                     ResolveInputType(graph, options.input_type));
    return types;
  }
  for (const LinkList& list : options.link->lists) {
    ASSIGN_OR_RETURN(types.emplace_back(),
                     ResolveInputEdgeType(graph, list.edge_type));
  }
  return types;
}

absl::StatusOr<LoaderSession> MakeNeighborSession(
    const NeighborLoaderOptions& options,
    std::shared_ptr<const AcceptedGraph> graph,
    std::vector<int64_t> input_ids) {
  const GraphSchema& schema = graph->schema;
  ASSIGN_OR_RETURN(SessionInputs inputs,
                   InputsOf(options, schema, std::move(input_ids)));
  ASSIGN_OR_RETURN(const auto weighted,
                   WeightedOrderOf(options, inputs.size()));
  ASSIGN_OR_RETURN(std::string bytes,
                   SpecBytesOf(options, ToSpecGraph(schema),
                               ToSpecOptions(options, inputs)));
  v1::SessionSpec spec;
  if (!spec.ParseFromString(bytes)) {
    return absl::InternalError("the specification just made cannot be read");
  }
  ASSIGN_OR_RETURN(const DrawTraits traits, TraitsOf(schema, spec));
  RETURN_IF_ERROR(CheckDrawsOn(traits, spec));
  RETURN_IF_ERROR(CheckCollectedFeatures(schema, spec));
  RETURN_IF_ERROR(CheckInputs(schema, spec, inputs));
  LoaderSession session;
  session.identity = SessionIdentity(bytes);
  session.inputs = inputs.Sha256();
  session.order = OrderOf(options, inputs.size());
  session.order.weighted = weighted;
  session.max_batch_bytes = BatchBytesBoundOf(schema, spec);
  session.spec = std::make_shared<const std::string>(std::move(bytes));
  if (options.link.has_value()) {
    session.links =
        std::make_shared<const LinkColumns>(std::move(inputs.links));
    session.link_lists = LinkListsOf(spec);
  } else {
    session.input_ids =
        std::make_shared<const std::vector<int64_t>>(std::move(inputs.nodes));
  }
  if (!inputs.times.empty()) {
    session.input_times =
        std::make_shared<const std::vector<int64_t>>(std::move(inputs.times));
  }
  session.accept = [graph](const ServerDescription& description) {
    return graph->Check(description);
  };
  return session;
}

}  // namespace tributary
