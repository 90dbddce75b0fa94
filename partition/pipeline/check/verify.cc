#include "partition/pipeline/check/verify.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/runtime/parallel_for.h"
#include "common/text/status.h"
#include "partition/format/graph.h"
#include "partition/pipeline/check/differs.h"
#include "partition/pipeline/check/external_ids_check.h"
#include "partition/pipeline/check/read_back.h"
#include "partition/writer/content_digest.h"

namespace tributary {
namespace {

constexpr size_t kGrain = 2048;

using Rows = std::shared_ptr<const RowSource>;

std::string Describe(const Rows& rows) {
  if (rows == nullptr) return "none";
  return absl::StrCat(std::string(rows->schema().type_name()), " of width ",
                      rows->schema().dim);
}

absl::Status CompareColumns(const std::string& what, const Rows& graph,
                            const Rows& input) {
  if ((graph == nullptr) == (input == nullptr) &&
      (graph == nullptr || graph->schema() == input->schema())) {
    return absl::OkStatus();
  }
  return Differs(absl::StrCat(what, ": ", Describe(graph), " in the graph, ",
                              Describe(input), " in the input"));
}

bool SameRow(const RowSource& a, int64_t a_row, const RowSource& b,
             int64_t b_row, std::vector<uint8_t>& scratch) {
  const size_t bytes = a.schema().row_bytes();
  scratch.resize(2 * bytes);
  a.CopyRows({&a_row, 1}, scratch.data());
  b.CopyRows({&b_row, 1}, scratch.data() + bytes);
  return std::equal(scratch.begin(), scratch.begin() + bytes,
                    scratch.begin() + bytes);
}

absl::Status CompareRows(const std::string& what, const Rows& graph,
                         const Rows& input, int64_t num_rows) {
  RETURN_IF_ERROR(CompareColumns(what, graph, input));
  if (graph == nullptr) return absl::OkStatus();
  return ParallelFor(num_rows, kGrain, [&](size_t begin, size_t end) {
    std::vector<uint8_t> scratch;
    for (size_t i = begin; i < end; ++i) {
      const auto row = static_cast<int64_t>(i);
      if (!SameRow(*graph, row, *input, row, scratch)) {
        return Differs(absl::StrCat(what, " of node ", row));
      }
    }
    return absl::OkStatus();
  });
}

std::string Describe(const InEdge& edge, int64_t dst) {
  return absl::StrCat("edge ", edge.edge_id, " from ", edge.neighbor, " to ",
                      dst);
}

// A column of edges, in the graph and in the input.
struct EdgeColumn {
  std::string name;
  Rows graph, input;
};

// Returns the columns that the graph or the input has; null where one of them
// lacks it.
std::vector<EdgeColumn> ColumnsOf(const EdgeContent& graph,
                                  const EdgeContent& input) {
  std::vector<EdgeColumn> columns = {
      {"edge_attr", graph.edge_attr, input.edge_attr},
      {"weight", graph.weight, input.weight},
      {"time", graph.time, input.time}};
  for (const auto& [name, rows] : graph.masks) {
    const auto same = input.masks.find(name);
    columns.push_back({"mask " + name, rows,
                       same == input.masks.end() ? nullptr : same->second});
  }
  for (const auto& [name, rows] : input.masks) {
    if (!graph.masks.contains(name)) {
      columns.push_back({"mask " + name, nullptr, rows});
    }
  }
  return columns;
}

absl::Status CompareInEdges(const EdgeContent& graph, const EdgeContent& input,
                            const std::vector<EdgeColumn>& columns, int64_t v,
                            std::vector<uint8_t>& scratch) {
  const Adjacency& a = graph.in_edges;
  const Adjacency& b = input.in_edges;
  RETURN_IF_ERROR(CompareCounts(
      absl::StrCat(graph.name(), ": edges into node ", v),
      static_cast<int64_t>(a.degree(v)), static_cast<int64_t>(b.degree(v))));
  for (uint64_t i = 0; i < a.degree(v); ++i) {
    const uint64_t ia = a.indptr()[v] + i, ib = b.indptr()[v] + i;
    if (a.edge(ia) != b.edge(ib)) {
      return Differs(absl::StrCat(graph.name(), ": ", Describe(a.edge(ia), v),
                                  " in the graph, ", Describe(b.edge(ib), v),
                                  " in the input"));
    }
    for (const auto& [what, a_rows, b_rows] : columns) {
      if (a_rows == nullptr || SameRow(*a_rows, graph.AttrRow(ia), *b_rows,
                                       input.AttrRow(ib), scratch)) {
        continue;
      }
      return Differs(absl::StrCat(graph.name(), ": ", what, " of ",
                                  Describe(a.edge(ia), v)));
    }
  }
  return absl::OkStatus();
}

absl::Status CompareNodeTypes(const NodeContent& graph,
                              const NodeContent& input) {
  if (graph.name != input.name) {
    return Differs(absl::StrCat("node type ", graph.name,
                                " in the graph where the input has ",
                                input.name));
  }
  RETURN_IF_ERROR(CompareCounts("nodes of " + graph.name, graph.num_nodes,
                                input.num_nodes));
  RETURN_IF_ERROR(
      CompareRows("x of " + graph.name, graph.x, input.x, graph.num_nodes));
  RETURN_IF_ERROR(
      CompareRows("y of " + graph.name, graph.y, input.y, graph.num_nodes));
  return CompareRows("time of " + graph.name, graph.time, input.time,
                     graph.num_nodes);
}

absl::Status CompareEdgeTypes(const EdgeContent& graph,
                              const EdgeContent& input) {
  if (graph.name() != input.name()) {
    return Differs(absl::StrCat("edge type ", graph.name(),
                                " in the graph where the input has ",
                                input.name()));
  }
  const std::vector<EdgeColumn> columns = ColumnsOf(graph, input);
  for (const auto& [what, a_rows, b_rows] : columns) {
    RETURN_IF_ERROR(
        CompareColumns(what + " of " + graph.name(), a_rows, b_rows));
  }
  RETURN_IF_ERROR(CompareCounts("ends of " + graph.name(),
                                graph.in_edges.num_nodes(),
                                input.in_edges.num_nodes()));
  return ParallelFor(
      graph.in_edges.num_nodes(), kGrain, [&](size_t begin, size_t end) {
        std::vector<uint8_t> scratch;
        for (size_t v = begin; v < end; ++v) {
          RETURN_IF_ERROR(CompareInEdges(graph, input, columns,
                                         static_cast<int64_t>(v), scratch));
        }
        return absl::OkStatus();
      });
}

absl::Status CompareSplits(const GraphContent& graph,
                           const GraphContent& input) {
  RETURN_IF_ERROR(CompareCounts("splits",
                                static_cast<int64_t>(graph.splits.size()),
                                static_cast<int64_t>(input.splits.size())));
  for (size_t i = 0; i < graph.splits.size(); ++i) {
    const SplitContent& a = graph.splits[i];
    const SplitContent& b = input.splits[i];
    if (a.scheme != b.scheme || a.type != b.type || a.name != b.name ||
        a.ids != b.ids) {
      return Differs(absl::StrCat("split ", b.scheme, "/", b.name));
    }
  }
  return absl::OkStatus();
}

// Checks that the type stored as the reverse of `of` holds exactly its reversed
// edges.
absl::Status CheckReverse(const EdgeContent& of, const EdgeContent& reverse,
                          int64_t num_src) {
  const Adjacency reversed = of.in_edges.Transposed(num_src);
  return ParallelFor(num_src, kGrain, [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) {
      const uint64_t first = reversed.indptr()[v],
                     last = reversed.indptr()[v + 1];
      bool same = reverse.in_edges.indptr()[v + 1] == last;
      for (uint64_t i = first; same && i < last; ++i) {
        same = reversed.edge(i) == reverse.in_edges.edge(i);
      }
      if (same) continue;
      return absl::DataLossError(
          absl::StrCat("the edges of ", reverse.name(), " into node ", v,
                       " are not those of ", of.name(), " that lead from it"));
    }
    return absl::OkStatus();
  });
}

absl::Status CheckReverses(const GraphSchema& schema,
                           const GraphContent& content) {
  for (size_t t = 0; t < content.edge_types.size(); ++t) {
    const EdgeContent& type = content.edge_types[t];
    if (!type.reverse) continue;
    const int of = schema.ReverseOf(static_cast<int>(t));
    RETURN_IF_ERROR(CheckReverse(content.edge_types[of], type,
                                 content.node_types[type.dst_type].num_nodes));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<GraphContent> VerifyGraph(const std::string& folder) {
  ASSIGN_OR_RETURN(const auto graph, Graph::Open(folder, {.verify = true}));
  RETURN_IF_ERROR(CheckExternalIds(folder, graph->schema()));
  ASSIGN_OR_RETURN(GraphContent content, ReadBack(graph));
  const Sha256Digest digest = ComputeContentDigest(content);
  if (digest != graph->schema().content_digest) {
    return absl::DataLossError(absl::StrCat(
        folder, ": the content's digest is ", ToHex(digest),
        "; graph.json says ", ToHex(graph->schema().content_digest)));
  }
  RETURN_IF_ERROR(CheckReverses(graph->schema(), content));
  return content;
}

absl::Status CompareContent(const GraphContent& graph,
                            const GraphContent& input) {
  RETURN_IF_ERROR(CompareCounts("node types",
                                static_cast<int64_t>(graph.node_types.size()),
                                static_cast<int64_t>(input.node_types.size())));
  RETURN_IF_ERROR(CompareCounts("edge types",
                                static_cast<int64_t>(graph.edge_types.size()),
                                static_cast<int64_t>(input.edge_types.size())));
  for (size_t t = 0; t < graph.node_types.size(); ++t) {
    RETURN_IF_ERROR(CompareNodeTypes(graph.node_types[t], input.node_types[t]));
  }
  for (size_t t = 0; t < graph.edge_types.size(); ++t) {
    RETURN_IF_ERROR(CompareEdgeTypes(graph.edge_types[t], input.edge_types[t]));
  }
  return CompareSplits(graph, input);
}

}  // namespace tributary
