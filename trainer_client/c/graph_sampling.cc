// Sampling calls, shares of ranks, and the partition book.
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/json/json_object.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"
#include "trainer_client/c/arrays.h"
#include "trainer_client/c/call_guard.h"
#include "trainer_client/c/graph_calls.h"
#include "trainer_client/c/handles.h"
#include "trainer_client/c/tributary.h"
#include "trainer_client/graph/node_split.h"

namespace tributary {
namespace {

constexpr uint64_t kMostTypes = 65536;

using Fanouts = std::map<std::string, int32_t>;

absl::StatusOr<absl::Span<const tributary_ids>> ListsOf(
    const tributary_ids* lists, uint64_t num_lists, const char* name) {
  if (num_lists > kMostTypes) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, " has ", num_lists, " types; allowed: at most ", kMostTypes));
  }
  if (num_lists > 0) RETURN_IF_ERROR(CheckGiven(lists, name));
  return absl::Span<const tributary_ids>(lists, num_lists);
}

// Returns the lists' ids by the full names of their types; those of a type that
// comes twice follow each other.
absl::StatusOr<NodesByType> ByType(
    const tributary_ids* lists, uint64_t num_lists, const char* name,
    const std::function<absl::StatusOr<std::string>(const std::string&)>&
        name_of) {
  NodesByType by_type;
  ASSIGN_OR_RETURN(const auto given, ListsOf(lists, num_lists, name));
  for (const tributary_ids& list : given) {
    ASSIGN_OR_RETURN(const Ids ids, IdsOf(list.ids, list.num_ids, name));
    ASSIGN_OR_RETURN(const std::string type, name_of(OrEmpty(list.type)));
    std::vector<int64_t>& of_type = by_type[type];
    of_type.insert(of_type.end(), ids.begin(), ids.end());
  }
  return by_type;
}

int32_t FanoutOf(const nlohmann::json& json, JsonObject& in) {
  // Numbers from 2^63 on would wrap around to negative ones.
  const bool fits =
      !json.is_number_unsigned() || json.get<uint64_t>() <= uint64_t{INT32_MAX};
  if (json.is_number_integer() && fits && json.get<int64_t>() >= -1) {
    return static_cast<int32_t>(json.get<int64_t>());
  }
  in.Fail("fanout", absl::StrCat("is ", json.dump(),
                                 "; allowed: whole numbers from -1, or an "
                                 "object of them by edge type"));
  return 0;
}

Fanouts ReadFanouts(const DistGraph& graph, JsonObject& in) {
  Fanouts fanouts;
  const nlohmann::json& json = in.Get("fanout");
  if (json.is_object()) {
    for (const auto& [type, fanout] : json.items()) {
      fanouts[type] = FanoutOf(fanout, in);
    }
    return fanouts;
  }
  const int32_t fanout = FanoutOf(json, in);
  for (const std::string& type : graph.canonical_etypes()) {
    fanouts[type] = fanout;
  }
  return fanouts;
}

uint64_t WholeOr(JsonObject& in, const char* key, uint64_t otherwise) {
  return in.Has(key) ? in.Whole(key) : otherwise;
}

bool BoolOr(JsonObject& in, const char* key, bool otherwise) {
  return in.Has(key) ? in.Bool(key) : otherwise;
}

struct SampleRequest {
  Fanouts fanouts;
  SampleOptions options;
};

absl::StatusOr<SampleRequest> ReadSampleRequest(const DistGraph& graph,
                                                const char* text) {
  ASSIGN_OR_RETURN(const nlohmann::json json, ParseJson(text, "options"));
  JsonObject in(json, "options");
  SampleRequest request;
  request.fanouts = ReadFanouts(graph, in);
  request.options.key = {.random_seed = WholeOr(in, "random_seed", 0),
                         .index = WholeOr(in, "index", 0)};
  request.options.replace = BoolOr(in, "replace", false);
  request.options.prob = in.TextOr("prob", "");
  request.options.edge_mask = in.TextOr("edge_mask", "");
  constexpr EdgeDirection kDirections[] = {
      EdgeDirection::kIn, EdgeDirection::kOut, EdgeDirection::kBoth};
  if (in.Has("edge_dir")) {
    request.options.edge_dir =
        kDirections[in.OneOf("edge_dir", {"in", "out", "both"})];
  }
  in.RefuseOthers();
  RETURN_IF_ERROR(in.status());
  return request;
}

// The suffix of the tensors of an edge type.
std::string SuffixOf(const GraphSchema& schema, const EdgeTypeSchema& type) {
  if (!schema.heterogeneous) return "";
  return absl::StrCat("/", type.src, "__", type.rel, "__", type.dst);
}

absl::Status Sample(DistGraph& graph, const tributary_ids* nodes,
                    uint64_t num_types, const tributary_ids* excluded,
                    uint64_t num_excluded, const char* options,
                    ArraysMaker& made) {
  RETURN_IF_ERROR(CheckGiven(options, "options"));
  ASSIGN_OR_RETURN(SampleRequest request, ReadSampleRequest(graph, options));
  const GraphSchema& schema = graph.schema();
  ASSIGN_OR_RETURN(
      const NodesByType seeds,
      ByType(nodes, num_types, "nodes",
             [&](const std::string& name) -> absl::StatusOr<std::string> {
               ASSIGN_OR_RETURN(const int t, ResolveNodeType(schema, name));
               return schema.node_types[t].name;
             }));
  ASSIGN_OR_RETURN(
      request.options.exclude_edges,
      ByType(excluded, num_excluded, "excluded",
             [&](const std::string& name) -> absl::StatusOr<std::string> {
               ASSIGN_OR_RETURN(const int t, ResolveEdgeType(schema, name));
               return schema.edge_types[t].name();
             }));
  ASSIGN_OR_RETURN(
      EdgesByType edges,
      graph.SampleEtypeNeighbors(seeds, request.fanouts, request.options));
  for (const std::string& name : graph.canonical_etypes()) {
    const EdgeTypeSchema& type = schema.edge_types[schema.FindEdgeType(name)];
    AddEdges(std::move(edges[name]), made, SuffixOf(schema, type));
  }
  return absl::OkStatus();
}

absl::StatusOr<SplitOptions> ReadSplitOptions(const char* text) {
  RETURN_IF_ERROR(CheckGiven(text, "options"));
  ASSIGN_OR_RETURN(const nlohmann::json json, ParseJson(text, "options"));
  JsonObject in(json, "options");
  SplitOptions options;
  options.rank = static_cast<int>(in.Whole("rank", INT32_MAX));
  options.world_size = static_cast<int>(in.Whole("world_size", INT32_MAX));
  options.force_even = BoolOr(in, "force_even", true);
  options.locality = BoolOr(in, "locality", true);
  in.RefuseOthers();
  RETURN_IF_ERROR(in.status());
  return options;
}

using ShareOut = decltype(&NodeSplit);

tributary_status SplitIds(tributary_graph* handle, ShareOut share,
                          const char* type, const char* split,
                          const int64_t* ids, uint64_t num_ids,
                          const char* options,
                          tributary_arrays** arrays) noexcept {
  return ArraysOfGraph(
      handle, arrays, [&](DistGraph& graph, ArraysMaker& made) -> absl::Status {
        ASSIGN_OR_RETURN(const SplitOptions how, ReadSplitOptions(options));
        ASSIGN_OR_RETURN(const Ids given, IdsOf(ids, num_ids, "ids"));
        const SplitRequest request = {.type = OrEmpty(type),
                                      .split = OrEmpty(split),
                                      .ids = {given.begin(), given.end()},
                                      .mask = {}};
        if (request.split.empty() && given.empty()) {  // nothing to share out
          made.Add("id", std::vector<int64_t>());
          return absl::OkStatus();
        }
        ASSIGN_OR_RETURN(RankShare share_of_rank, share(graph, request, how));
        made.Add("id", std::move(share_of_rank.ids));
        return absl::OkStatus();
      });
}

std::string PartitionsText(const PartitionBook& book) {
  auto partitions = nlohmann::ordered_json::array();
  for (const PartitionMetadata& part : book.Metadata()) {
    auto nodes = nlohmann::ordered_json::object();
    auto edges = nlohmann::ordered_json::object();
    for (size_t t = 0; t < book.ntypes().size(); ++t) {
      nodes[book.ntypes()[t]] = part.num_nodes[t];
    }
    for (size_t t = 0; t < book.etypes().size(); ++t) {
      edges[book.etypes()[t]] = part.num_edges[t];
    }
    partitions.push_back({{"partition", part.partition},
                          {"nodes", nodes},
                          {"edges", edges},
                          {"owners", part.owners}});
  }
  return partitions.dump();
}

using FindPartitions = absl::StatusOr<std::vector<uint32_t>> (PartitionBook::*)(
    Ids, const std::string&) const;

tributary_status PartitionsOfIds(tributary_graph* handle, FindPartitions find,
                                 const char* type, const int64_t* ids,
                                 uint64_t num_ids,
                                 tributary_arrays** arrays) noexcept {
  return ArraysOfGraph(
      handle, arrays, [&](DistGraph& graph, ArraysMaker& made) -> absl::Status {
        ASSIGN_OR_RETURN(const Ids given, IdsOf(ids, num_ids, "ids"));
        ASSIGN_OR_RETURN(const std::vector<uint32_t> found,
                         (graph.partition_book().*find)(given, OrEmpty(type)));
        made.Add("partition", std::vector<int64_t>(found.begin(), found.end()));
        return absl::OkStatus();
      });
}

using ListIds = absl::StatusOr<std::vector<int64_t>> (PartitionBook::*)(
    uint32_t, const std::string&) const;

tributary_status IdsOfPartition(tributary_graph* handle, ListIds list,
                                const char* type, uint32_t partition,
                                tributary_arrays** arrays) noexcept {
  return ArraysOfGraph(
      handle, arrays, [&](DistGraph& graph, ArraysMaker& made) -> absl::Status {
        ASSIGN_OR_RETURN(
            std::vector<int64_t> ids,
            (graph.partition_book().*list)(partition, OrEmpty(type)));
        made.Add("id", std::move(ids));
        return absl::OkStatus();
      });
}

}  // namespace
}  // namespace tributary

using tributary::ArraysMaker;
using tributary::DistGraph;
using tributary::PartitionBook;

extern "C" {

tributary_status tributary_graph_sample(
    tributary_graph* graph, const tributary_ids* nodes, uint64_t num_types,
    const tributary_ids* excluded, uint64_t num_excluded, const char* options,
    tributary_arrays** arrays) {
  return tributary::ArraysOfGraph(
      graph, arrays, [&](DistGraph& opened, ArraysMaker& made) {
        return tributary::Sample(opened, nodes, num_types, excluded,
                                 num_excluded, options, made);
      });
}

tributary_status tributary_graph_node_split(
    tributary_graph* graph, const char* node_type, const char* split,
    const int64_t* node_ids, uint64_t num_ids, const char* options,
    tributary_arrays** arrays) {
  return tributary::SplitIds(graph, tributary::NodeSplit, node_type, split,
                             node_ids, num_ids, options, arrays);
}

tributary_status tributary_graph_edge_split(
    tributary_graph* graph, const char* edge_type, const char* split,
    const int64_t* edge_ids, uint64_t num_ids, const char* options,
    tributary_arrays** arrays) {
  return tributary::SplitIds(graph, tributary::EdgeSplit, edge_type, split,
                             edge_ids, num_ids, options, arrays);
}

tributary_status tributary_graph_partitions(tributary_graph* graph,
                                            char** json) {
  return tributary::TextOfGraph(graph, json, [](DistGraph& opened) {
    return tributary::PartitionsText(opened.partition_book());
  });
}

tributary_status tributary_graph_node_partitions(tributary_graph* graph,
                                                 const char* node_type,
                                                 const int64_t* node_ids,
                                                 uint64_t num_ids,
                                                 tributary_arrays** arrays) {
  return tributary::PartitionsOfIds(graph, &PartitionBook::NodePartitions,
                                    node_type, node_ids, num_ids, arrays);
}

tributary_status tributary_graph_edge_partitions(tributary_graph* graph,
                                                 const char* edge_type,
                                                 const int64_t* edge_ids,
                                                 uint64_t num_ids,
                                                 tributary_arrays** arrays) {
  return tributary::PartitionsOfIds(graph, &PartitionBook::EdgePartitions,
                                    edge_type, edge_ids, num_ids, arrays);
}

tributary_status tributary_graph_partition_nodes(tributary_graph* graph,
                                                 const char* node_type,
                                                 uint32_t partition,
                                                 tributary_arrays** arrays) {
  return tributary::IdsOfPartition(graph, &PartitionBook::NodesOf, node_type,
                                   partition, arrays);
}

tributary_status tributary_graph_partition_edges(tributary_graph* graph,
                                                 const char* edge_type,
                                                 uint32_t partition,
                                                 tributary_arrays** arrays) {
  return tributary::IdsOfPartition(graph, &PartitionBook::EdgesOf, edge_type,
                                   partition, arrays);
}

}  // extern "C"
