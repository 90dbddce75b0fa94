#include "partition/pipeline/check/sample_check.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "common/random/permutation.h"
#include "common/random/purpose_key.h"
#include "common/text/status.h"
#include "partition/pipeline/check/differs.h"
#include "partition/pipeline/check/sampled_edges.h"

namespace tributary {
namespace {

// Calls `compare` for min(count, n) different numbers below n, ascending, which
// suits the disk.
absl::Status ForSample(const std::string& purpose, int64_t n,
                       const SampleCheckOptions& options,
                       absl::FunctionRef<absl::Status(int64_t)> compare) {
  if (n == 0) return absl::OkStatus();
  const auto order = Permutation::Keyed(
      static_cast<uint64_t>(n), MakePurposeKey(purpose, options.random_seed));
  std::vector<uint64_t> chosen(
      std::min(options.count, static_cast<uint64_t>(n)));
  for (size_t i = 0; i < chosen.size(); ++i) chosen[i] = order[i];
  std::sort(chosen.begin(), chosen.end());
  for (const uint64_t i : chosen) {
    RETURN_IF_ERROR(compare(static_cast<int64_t>(i)));
  }
  return absl::OkStatus();
}

std::string TypeText(const std::optional<ColumnSchema>& column) {
  if (!column.has_value()) return "none";
  return absl::StrCat(std::string(column->type_name()), " of width ",
                      column->dim);
}

// One node type of a graph beside its source.
class SampledNodes {
 public:
  SampledNodes(const Graph& graph, int type, const NodeSource& input)
      : graph_(graph),
        type_(type),
        schema_(graph.schema().node_types[type]),
        input_(input) {}

  absl::Status CompareTypes() const {
    const std::optional<ColumnSchema> time = ColumnSchema{DType::kInt64, 0};
    RETURN_IF_ERROR(CompareCounts("nodes of " + schema_.name, schema_.num_nodes,
                                  input_.num_nodes));
    RETURN_IF_ERROR(CompareType("x", schema_.x, input_.x));
    RETURN_IF_ERROR(CompareType("y", schema_.y, input_.y));
    return CompareType("time", schema_.timed ? time : std::nullopt,
                       input_.time);
  }

  // Compares a node. Requires that CompareTypes has passed.
  absl::Status CompareNode(int64_t node) const {
    ASSIGN_OR_RETURN(const NodeLocation at,
                     graph_.node_map(type_).Locate(node));
    if (graph_.nodes(type_, at.partition) == nullptr) return absl::OkStatus();
    const NodePartition& part = *graph_.nodes(type_, at.partition);
    if (at.row >= part.orig_id.size() || part.orig_id[at.row] != node) {
      return absl::DataLossError(absl::StrCat(
          "node_map has node ", node, " of ", schema_.name, " in partition ",
          at.partition, ", row ", at.row, ", which ",
          at.row >= part.orig_id.size()
              ? "does not exist"
              : absl::StrCat("is node ", part.orig_id[at.row])));
    }
    RETURN_IF_ERROR(CompareRow("x", part.x, at.row, input_.x, node));
    RETURN_IF_ERROR(CompareRow("y", part.y, at.row, input_.y, node));
    const absl::Span<const uint8_t> times(
        reinterpret_cast<const uint8_t*>(part.time.data()),
        part.time.size() * sizeof(int64_t));
    return CompareRow("time", times, at.row, input_.time, node);
  }

 private:
  absl::Status CompareType(const char* what,
                           const std::optional<ColumnSchema>& graph,
                           const ColumnPtr& input) const {
    std::optional<ColumnSchema> given;
    if (input != nullptr) given = input->schema();
    if (graph == given) return absl::OkStatus();
    return Differs(absl::StrCat(what, " of ", schema_.name, ": ",
                                TypeText(graph), " in the graph, ",
                                TypeText(given), " in the input"));
  }

  absl::Status CompareRow(const char* what, absl::Span<const uint8_t> graph,
                          uint64_t row, const ColumnPtr& input,
                          int64_t node) const {
    if (input == nullptr) return absl::OkStatus();
    std::vector<uint8_t> given(input->schema().row_bytes());
    RETURN_IF_ERROR(input->Read(node, 1, given.data()));
    const auto stored = graph.subspan(row * given.size(), given.size());
    if (std::equal(stored.begin(), stored.end(), given.begin(), given.end())) {
      return absl::OkStatus();
    }
    return Differs(absl::StrCat(what, " of ", schema_.name, " of node ", node,
                                " (", input->Where(node), ")"));
  }

  const Graph& graph_;
  const int type_;
  const NodeTypeSchema& schema_;
  const NodeSource& input_;
};

absl::Status CompareNodes(const Graph& graph, const GraphSource& input,
                          const SampleCheckOptions& options) {
  const auto& types = graph.schema().node_types;
  for (size_t t = 0; t < types.size(); ++t) {
    if (types[t].name != input.node_types[t].name) {
      return Differs(absl::StrCat("node type ", types[t].name,
                                  " in the graph where the input has ",
                                  input.node_types[t].name));
    }
    const SampledNodes nodes(graph, static_cast<int>(t), input.node_types[t]);
    RETURN_IF_ERROR(nodes.CompareTypes());
    RETURN_IF_ERROR(
        ForSample("verify," + types[t].name, types[t].num_nodes, options,
                  [&](int64_t node) { return nodes.CompareNode(node); }));
  }
  return absl::OkStatus();
}

absl::Status CompareNumEdges(const EdgeTypeSchema& graph,
                             const EdgeSource& input) {
  const int64_t given = input.num_rows() * (input.add_reverse ? 2 : 1);
  if (input.dedupe && graph.num_edges <= given) return absl::OkStatus();
  return CompareCounts("edges of " + graph.name(), graph.num_edges, given);
}

absl::Status CompareEdges(const Graph& graph, const GraphSource& input,
                          const SampleCheckOptions& options) {
  const auto& types = graph.schema().edge_types;
  for (size_t t = 0; t < types.size(); ++t) {
    const EdgeSource& source = input.edge_types[t];
    if (types[t].name() != source.name()) {
      return Differs(absl::StrCat("edge type ", types[t].name(),
                                  " in the graph where the input has ",
                                  source.name()));
    }
    const SampledEdges edges(graph, static_cast<int>(t), source);
    RETURN_IF_ERROR(CompareNumEdges(types[t], source));
    RETURN_IF_ERROR(edges.CompareColumnTypes());
    const std::string purpose = "verify," + types[t].name();
    RETURN_IF_ERROR(
        ForSample(purpose + ",rows", source.num_rows(), options,
                  [&](int64_t row) { return edges.CompareInputRow(row); }));
    RETURN_IF_ERROR(
        ForSample(purpose + ",edges", types[t].num_edges, options,
                  [&](int64_t n) { return edges.CompareGraphEdge(n); }));
  }
  return absl::OkStatus();
}

// Returns both ends of an entry of a split of edges.
absl::StatusOr<std::pair<int64_t, int64_t>> EndsOf(const GraphSource& input,
                                                   int edge_type,
                                                   const SplitSource& split,
                                                   int64_t entry) {
  const auto i = static_cast<size_t>(entry);
  if (split.rows.empty()) return std::pair(split.from[i], split.to[i]);
  const EdgeSource& edges = input.edge_types[edge_type];
  std::pair<int64_t, int64_t> ends;
  RETURN_IF_ERROR(edges.from->Read(split.rows[i], 1,
                                   reinterpret_cast<uint8_t*>(&ends.first)));
  RETURN_IF_ERROR(edges.to->Read(split.rows[i], 1,
                                 reinterpret_cast<uint8_t*>(&ends.second)));
  return ends;
}

absl::Status CompareEdgeSplit(const Graph& graph, const SplitSchema& schema,
                              const GraphSource& input,
                              const SplitSource& split,
                              const SampleCheckOptions& options) {
  const int type = graph.schema().FindEdgeType(schema.type);
  ASSIGN_OR_RETURN(const auto ids, graph.EdgeSplit(type, schema.full_name()));
  return ForSample(
      absl::StrCat("verify,", schema.type, ",", schema.full_name()),
      schema.count, options, [&](int64_t i) -> absl::Status {
        ASSIGN_OR_RETURN(const auto ends, EndsOf(input, type, split, i));
        const size_t at = static_cast<size_t>(i) * kSplitEdgeNumbers;
        if (ids[at] == ends.first && ids[at + 1] == ends.second) {
          return absl::OkStatus();
        }
        return Differs(absl::StrCat(
            "entry ", i, " of split ", schema.full_name(), " of ", schema.type,
            ": from ", ids[at], " to ", ids[at + 1], " in the graph, from ",
            ends.first, " to ", ends.second, " in the input"));
      });
}

absl::Status CompareSplits(const Graph& graph, const GraphSource& input,
                           const SampleCheckOptions& options) {
  const auto& splits = graph.schema().splits;
  for (size_t i = 0; i < splits.size(); ++i) {
    const SplitSchema& schema = splits[i];
    const SplitSource& split = input.splits[i];
    const std::string what =
        absl::StrCat("split ", schema.full_name(), " of ", schema.type);
    if (schema.scheme != split.scheme || schema.type != split.type ||
        schema.name != split.name) {
      return Differs(what + " where the input has " + split.scheme + "/" +
                     split.name + " of " + split.type);
    }
    if (schema.of_edges()) {
      RETURN_IF_ERROR(
          CompareCounts(what, schema.count,
                        static_cast<int64_t>(
                            std::max(split.rows.size(), split.from.size()))));
      RETURN_IF_ERROR(CompareEdgeSplit(graph, schema, input, split, options));
      continue;
    }
    const int type = graph.schema().FindNodeType(schema.type);
    ASSIGN_OR_RETURN(const auto ids, graph.Split(type, schema.full_name()));
    if (!std::equal(ids.begin(), ids.end(), split.nodes.begin(),
                    split.nodes.end())) {
      return Differs(what);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CompareSample(const Graph& graph, const GraphSource& input,
                           const SampleCheckOptions& options) {
  const GraphSchema& schema = graph.schema();
  const auto count = [](const auto& list) {
    return static_cast<int64_t>(list.size());
  };
  RETURN_IF_ERROR(CompareCounts("node types", count(schema.node_types),
                                count(input.node_types)));
  RETURN_IF_ERROR(CompareCounts("edge types", count(schema.edge_types),
                                count(input.edge_types)));
  RETURN_IF_ERROR(
      CompareCounts("splits", count(schema.splits), count(input.splits)));
  RETURN_IF_ERROR(CompareNodes(graph, input, options));
  RETURN_IF_ERROR(CompareEdges(graph, input, options));
  return CompareSplits(graph, input, options);
}

}  // namespace tributary
