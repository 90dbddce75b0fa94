#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/tensor/dtype.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"
#include "trainer_client/c/arrays.h"
#include "trainer_client/c/call_guard.h"
#include "trainer_client/c/graph_calls.h"
#include "trainer_client/c/handles.h"
#include "trainer_client/c/tributary.h"

namespace tributary {
namespace {

// As rpc_timeout allows.
constexpr int64_t kLeastTimeoutMs = 100;
constexpr int64_t kMostTimeoutMs = 86'400'000;

absl::StatusOr<absl::Duration> TimeoutOf(const tributary_source& source,
                                         int64_t timeout_ms) {
  if (timeout_ms < 0) return source.workers->loader().rpc_timeout;
  if (timeout_ms >= kLeastTimeoutMs && timeout_ms <= kMostTimeoutMs) {
    return absl::Milliseconds(timeout_ms);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("timeout_ms is ", timeout_ms, "; allowed: ", kLeastTimeoutMs,
                   " to ", kMostTimeoutMs, ", or -1 for the source's"));
}

absl::Status OpenGraphHandle(tributary_source* source, const char* name,
                             int64_t timeout_ms, tributary_graph** graph) {
  RETURN_IF_ERROR(CheckGiven(graph, "graph"));
  *graph = nullptr;
  RETURN_IF_ERROR(CheckHandle(source, "source"));
  ASSIGN_OR_RETURN(const absl::Duration timeout,
                   TimeoutOf(*source, timeout_ms));
  ASSIGN_OR_RETURN(auto opened, DistGraph::Open(source->workers.get(),
                                                {.graph_name = OrEmpty(name),
                                                 .timeout = timeout}));
  *graph = new tributary_graph(source->workers, std::move(opened));
  return absl::OkStatus();
}

tributary_status ReadColumn(tributary_graph* handle, bool of_edges,
                            const char* type, const char* column,
                            const int64_t* ids, uint64_t num_ids,
                            tributary_arrays** arrays) noexcept {
  return ArraysOfGraph(
      handle, arrays, [&](DistGraph& graph, ArraysMaker& made) -> absl::Status {
        RETURN_IF_ERROR(CheckGiven(column, "column"));
        ASSIGN_OR_RETURN(
            const Ids rows,
            IdsOf(ids, num_ids, of_edges ? "edge_ids" : "node_ids"));
        ASSIGN_OR_RETURN(
            GraphData* const data,
            of_edges ? graph.edata(OrEmpty(type)) : graph.ndata(OrEmpty(type)));
        ASSIGN_OR_RETURN(GraphRows read, data->Read(column, rows));
        made.Add(column, std::move(read));
        return absl::OkStatus();
      });
}

tributary_status ReadDegrees(tributary_graph* handle, bool out,
                             const char* edge_type, const int64_t* ids,
                             uint64_t num_ids,
                             tributary_arrays** arrays) noexcept {
  return ArraysOfGraph(
      handle, arrays, [&](DistGraph& graph, ArraysMaker& made) -> absl::Status {
        ASSIGN_OR_RETURN(const Ids nodes, IdsOf(ids, num_ids, "node_ids"));
        ASSIGN_OR_RETURN(auto degrees,
                         out ? graph.OutDegrees(nodes, OrEmpty(edge_type))
                             : graph.InDegrees(nodes, OrEmpty(edge_type)));
        made.Add("degree", std::move(degrees));
        return absl::OkStatus();
      });
}

tributary_status ReadEdgesOf(tributary_graph* handle, EdgeDirection direction,
                             const char* edge_type, const int64_t* ids,
                             uint64_t num_ids,
                             tributary_arrays** arrays) noexcept {
  return ArraysOfGraph(
      handle, arrays, [&](DistGraph& graph, ArraysMaker& made) -> absl::Status {
        ASSIGN_OR_RETURN(const Ids nodes, IdsOf(ids, num_ids, "node_ids"));
        ASSIGN_OR_RETURN(const int t,
                         ResolveEdgeType(graph.schema(), OrEmpty(edge_type)));
        const EdgeTypeSchema& type = graph.schema().edge_types[t];
        const bool out = direction == EdgeDirection::kOut;
        ASSIGN_OR_RETURN(
            EdgesByType edges,
            graph.SampleEtypeNeighbors(
                {{out ? type.src : type.dst, {nodes.begin(), nodes.end()}}},
                {{type.name(), -1}}, {.edge_dir = direction}));
        AddEdges(std::move(edges[type.name()]), made);
        return absl::OkStatus();
      });
}

// Returns the columns of a type.
nlohmann::ordered_json ColumnsOf(const GraphData& data) {
  auto columns = nlohmann::ordered_json::array();
  for (const std::string& name : data.Names()) {
    const absl::StatusOr<ColumnSchema> column = data.ColumnOf(name);
    if (!column.ok()) continue;  // a tensor that was removed meanwhile
    columns.push_back({{"name", name},
                       {"dtype", DTypeName(column->dtype)},
                       {"dim", column->dim}});
  }
  return columns;
}

absl::StatusOr<std::string> ColumnsText(DistGraph& graph) {
  auto nodes = nlohmann::ordered_json::object();
  auto edges = nlohmann::ordered_json::object();
  for (const std::string& type : graph.ntypes()) {
    ASSIGN_OR_RETURN(const GraphData* const data, graph.ndata(type));
    nodes[type] = ColumnsOf(*data);
  }
  for (const std::string& type : graph.canonical_etypes()) {
    ASSIGN_OR_RETURN(const GraphData* const data, graph.edata(type));
    edges[type] = ColumnsOf(*data);
  }
  return nlohmann::ordered_json{{"nodes", nodes}, {"edges", edges}}.dump();
}

// Splits of edges are stored as [edges, 3].
EdgeList EdgesOfSplit(const std::vector<int64_t>& numbers) {
  EdgeList edges;
  for (size_t i = 0; i + kSplitEdgeNumbers <= numbers.size();
       i += kSplitEdgeNumbers) {
    edges.src.push_back(numbers[i]);
    edges.dst.push_back(numbers[i + 1]);
    edges.e_id.push_back(numbers[i + 2]);
  }
  return edges;
}

absl::Status ReadSplit(DistGraph& graph, const std::string& type,
                       const std::string& split, ArraysMaker& made) {
  GraphConnection& connection = graph.lookups().connection();
  const GraphSchema& schema = graph.schema();
  if (IsEdgeTypeName(type)) {
    ASSIGN_OR_RETURN(const int t, ResolveEdgeType(schema, type));
    ASSIGN_OR_RETURN(const auto numbers,
                     connection.Split(schema.edge_types[t].name(), split));
    AddEdges(EdgesOfSplit(numbers), made);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const int t, ResolveNodeType(schema, type));
  ASSIGN_OR_RETURN(auto ids,
                   connection.Split(schema.node_types[t].name, split));
  made.Add("id", std::move(ids));
  return absl::OkStatus();
}

void CloseGraphHandle(tributary_graph* handle) {
  handle->graph->Cancel();
  // Threads whose calls were cancelled may still be in them.
  { const std::unique_lock lock(handle->calls); }
  delete handle;
}

}  // namespace
}  // namespace tributary

using tributary::ArraysMaker;
using tributary::DistGraph;
using tributary::EdgeDirection;

extern "C" {

tributary_status tributary_graph_open(tributary_source* source,
                                      const char* name, int64_t timeout_ms,
                                      tributary_graph** graph) {
  return tributary::GuardCall([&] {
    return tributary::OpenGraphHandle(source, name, timeout_ms, graph);
  });
}

tributary_status tributary_graph_schema(tributary_graph* handle, char** json) {
  return tributary::TextOfGraph(
      handle, json, [](DistGraph& graph) { return graph.schema().ToJson(); });
}

tributary_status tributary_graph_columns(tributary_graph* handle, char** json) {
  return tributary::TextOfGraph(handle, json, tributary::ColumnsText);
}

tributary_status tributary_graph_read_nodes(
    tributary_graph* handle, const char* node_type, const char* column,
    const int64_t* node_ids, uint64_t num_ids, tributary_arrays** arrays) {
  return tributary::ReadColumn(handle, /*of_edges=*/false, node_type, column,
                               node_ids, num_ids, arrays);
}

tributary_status tributary_graph_read_edges(
    tributary_graph* handle, const char* edge_type, const char* column,
    const int64_t* edge_ids, uint64_t num_ids, tributary_arrays** arrays) {
  return tributary::ReadColumn(handle, /*of_edges=*/true, edge_type, column,
                               edge_ids, num_ids, arrays);
}

tributary_status tributary_graph_in_degrees(tributary_graph* handle,
                                            const char* edge_type,
                                            const int64_t* node_ids,
                                            uint64_t num_ids,
                                            tributary_arrays** arrays) {
  return tributary::ReadDegrees(handle, /*out=*/false, edge_type, node_ids,
                                num_ids, arrays);
}

tributary_status tributary_graph_out_degrees(tributary_graph* handle,
                                             const char* edge_type,
                                             const int64_t* node_ids,
                                             uint64_t num_ids,
                                             tributary_arrays** arrays) {
  return tributary::ReadDegrees(handle, /*out=*/true, edge_type, node_ids,
                                num_ids, arrays);
}

tributary_status tributary_graph_in_edges(tributary_graph* handle,
                                          const char* edge_type,
                                          const int64_t* node_ids,
                                          uint64_t num_ids,
                                          tributary_arrays** arrays) {
  return tributary::ReadEdgesOf(handle, EdgeDirection::kIn, edge_type, node_ids,
                                num_ids, arrays);
}

tributary_status tributary_graph_out_edges(tributary_graph* handle,
                                           const char* edge_type,
                                           const int64_t* node_ids,
                                           uint64_t num_ids,
                                           tributary_arrays** arrays) {
  return tributary::ReadEdgesOf(handle, EdgeDirection::kOut, edge_type,
                                node_ids, num_ids, arrays);
}

tributary_status tributary_graph_find_edges(tributary_graph* handle,
                                            const char* edge_type,
                                            const int64_t* edge_ids,
                                            uint64_t num_ids,
                                            tributary_arrays** arrays) {
  return tributary::ArraysOfGraph(
      handle, arrays, [&](DistGraph& graph, ArraysMaker& made) -> absl::Status {
        ASSIGN_OR_RETURN(const auto ids,
                         tributary::IdsOf(edge_ids, num_ids, "edge_ids"));
        ASSIGN_OR_RETURN(auto ends,
                         graph.FindEdges(ids, tributary::OrEmpty(edge_type)));
        made.Add("src", std::move(ends.src)).Add("dst", std::move(ends.dst));
        return absl::OkStatus();
      });
}

tributary_status tributary_graph_split(tributary_graph* handle,
                                       const char* type, const char* split,
                                       tributary_arrays** arrays) {
  return tributary::ArraysOfGraph(
      handle, arrays, [&](DistGraph& graph, ArraysMaker& made) -> absl::Status {
        RETURN_IF_ERROR(tributary::CheckGiven(split, "split"));
        return tributary::ReadSplit(graph, tributary::OrEmpty(type), split,
                                    made);
      });
}

tributary_status tributary_graph_cancel(tributary_graph* handle) {
  return tributary::CallGraph(handle, [](DistGraph& graph) {
    graph.Cancel();
    return absl::OkStatus();
  });
}

void tributary_graph_close(tributary_graph* handle) {
  if (handle == nullptr || !handle->InOwnProcess()) return;
  tributary::GuardClose([&] { tributary::CloseGraphHandle(handle); });
}

}  // extern "C"
