#include "partition/pipeline/inputs/layout_source/number_nodes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/arrays/array_file.h"
#include "partition/pipeline/inputs/arrays/compressed_rows.h"
#include "partition/pipeline/inputs/arrays/placed_column.h"
#include "partition/pipeline/inputs/arrays/scatter_rows.h"
#include "partition/pipeline/inputs/layout_source/layout_arrays.h"
#include "partition/pipeline/inputs/tables/id_text.h"
#include "partition/pipeline/inputs/text/number_text.h"

namespace tributary {
namespace {

constexpr int64_t kBlock = 65536;

ColumnPtr At(ColumnPtr column, const ColumnPtr& place) {
  return std::make_shared<PlacedColumn>(
      std::move(column), [place](int64_t row) { return place->Where(row); });
}

// Returns where an edge's value was before it was scattered by `ids`: reads
// them until the row is found, which only messages ask for.
std::string WhereBefore(const Column& ids, const Column& values, int64_t row) {
  for (int64_t at = 0; at < ids.num_rows(); at += kBlock) {
    const int64_t count = std::min(kBlock, ids.num_rows() - at);
    const auto rows = ReadValues<int64_t>(ids, at, count);
    if (!rows.ok()) break;
    const auto found = std::find(rows->begin(), rows->end(), row);
    if (found != rows->end()) return values.Where(at + (found - rows->begin()));
  }
  return values.Where(0);
}

// Opens compressed rows; with edge_ids in the order of the edges' rows.
absl::Status OpenCompressed(LayoutState& state, size_t type, EdgeState& edges) {
  const EdgeLayout& at = edges.layout;
  ASSIGN_OR_RETURN(ColumnPtr indptr, OpenIds(state.layout, at.indptr));
  ASSIGN_OR_RETURN(ColumnPtr others, OpenIds(state.layout, at.indices));
  ASSIGN_OR_RETURN(ColumnPtr nodes, ExpandRows(indptr, others->num_rows()));
  NodeState& of_rows =
      state.nodes[at.by_source ? edges.src_type : edges.dst_type];
  if (!of_rows.layout.count.has_value()) {
    of_rows.layout.count = indptr->num_rows() - 1;
  }
  if (!at.edge_ids.empty()) {
    ASSIGN_OR_RETURN(const ColumnPtr ids, OpenIds(state.layout, at.edge_ids));
    for (auto& [column, name] :
         {std::pair(&others, "-others"), std::pair(&nodes, "-nodes")}) {
      ASSIGN_OR_RETURN(
          ColumnPtr by_row,
          ScatterRows(**column, *ids, "edge", state.memory, state.spool,
                      absl::StrCat("edges", type, name)));
      *column = std::make_shared<PlacedColumn>(
          std::move(by_row), [ids, before = *column](int64_t row) {
            return WhereBefore(*ids, *before, row);
          });
    }
  }
  edges.source.from = at.by_source ? nodes : others;
  edges.source.to = at.by_source ? others : nodes;
  return absl::OkStatus();
}

// Opens the ends as the user wrote them.
absl::Status OpenEnds(LayoutState& state, size_t type) {
  EdgeState& edges = state.edges[type];
  const EdgeLayout& at = edges.layout;
  if (!at.indptr.empty()) return OpenCompressed(state, type, edges);
  if (!at.index.empty()) {
    ASSIGN_OR_RETURN(EndArrays ends,
                     OpenPairs(ArrayPaths(state.layout, at.index)));
    edges.source.from = std::move(ends.from);
    edges.source.to = std::move(ends.to);
    return absl::OkStatus();
  }
  edges.source.from = edges.table.from;
  edges.source.to = edges.table.to;
  if (at.from.columns.empty()) {
    ASSIGN_OR_RETURN(edges.source.from, OpenIds(state.layout, at.from));
  }
  if (at.to.columns.empty()) {
    ASSIGN_OR_RETURN(edges.source.to, OpenIds(state.layout, at.to));
  }
  return absl::OkStatus();
}

// Returns the columns of the ids of a type: that of the table of nodes, or else
// all ends.
absl::StatusOr<std::vector<ColumnPtr>> IdColumns(const LayoutState& state,
                                                 size_t type) {
  const NodeState& nodes = state.nodes[type];
  std::vector<ColumnPtr> columns;
  if (nodes.table.id != nullptr) {
    columns.push_back(nodes.table.id);
  } else {
    for (const EdgeState& edges : state.edges) {
      const bool is_src = edges.src_type == static_cast<int>(type);
      const bool is_dst = edges.dst_type == static_cast<int>(type);
      if (!edges.layout.indptr.empty() && (is_src || is_dst)) {
        return absl::InvalidArgumentError(absl::StrCat(
            state.layout.origin, ": ids of ", nodes.layout.name, " are ",
            IdKindName(nodes.ids), ", but ", edges.layout.name(),
            " has indptr, whose rows are nodes 0 to N - 1; allowed: ids "
            "dense"));
      }
      if (is_src) columns.push_back(edges.source.from);
      if (is_dst) columns.push_back(edges.source.to);
    }
  }
  return columns;
}

// The names in the spool of a type's dictionary, and of numbers of ids.
std::string DictionaryName(size_t type) { return absl::StrCat("ids", type); }
std::string RowNumbersName(size_t type) {
  return absl::StrCat("nodes", type, "-number");
}
std::string EndNumbersName(size_t type, const char* end) {
  return absl::StrCat("edges", type, "-", end, "-number");
}

// Returns where a text is first among ids; they have it.
absl::StatusOr<std::string> WhereIsText(absl::Span<const ColumnPtr> columns,
                                        absl::string_view wanted) {
  for (const ColumnPtr& column : columns) {
    IdTextReader in(*column);
    absl::string_view text;
    for (int64_t row = 0; in.Next(&text); ++row) {
      if (text == wanted) return column->Where(row);
    }
    RETURN_IF_ERROR(in.status());
  }
  return std::string("ids");
}

// Notes ids that are texts only because numbers are written in another way than
// others, so that one number may be two nodes.
absl::Status NoteOddNumber(const NodeState& nodes,
                           absl::Span<const ColumnPtr> columns,
                           std::vector<std::string>& notes) {
  if (nodes.ids != IdKind::kAuto || nodes.dictionary->is_numbers()) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::string odd, FindOddNumber(*nodes.dictionary));
  if (odd.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string where, WhereIsText(columns, odd));
  notes.push_back(absl::StrCat(
      where, ": \"", absl::CHexEscape(odd), "\" is the number ",
      *ParseWholeNumber(odd), " written in another way, so ids of type ",
      nodes.layout.name,
      " are texts, of which each is a node of its own; --ids string says that "
      "they are, --ids number refuses such ids"));
  return absl::OkStatus();
}

// Makes the dictionary of the type's ids, unless they are numbers from 0.
absl::Status MakeDictionary(LayoutState& state, size_t type,
                            std::vector<std::string>& notes) {
  NodeState& nodes = state.nodes[type];
  if (nodes.ids == IdKind::kDense) {
    nodes.node_of_row = nodes.table.id;
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<ColumnPtr> columns,
                   IdColumns(state, type));
  ASSIGN_OR_RETURN(
      nodes.dictionary,
      MakeIdDictionary(columns, nodes.ids == IdKind::kString, state.memory,
                       state.spool, DictionaryName(type)));
  RETURN_IF_ERROR(NoteOddNumber(nodes, columns, notes));
  if (nodes.table.id != nullptr) {
    ASSIGN_OR_RETURN(
        ColumnPtr rows,
        NumberIds(*nodes.table.id, *nodes.dictionary, nodes.table.id.get(),
                  state.memory, state.spool, RowNumbersName(type)));
    nodes.node_of_row = At(std::move(rows), nodes.table.id);
  }
  return absl::OkStatus();
}

// Begins the stage of the progress in which ids are sorted and looked up.
absl::Status ExpectNumbers(const LayoutState& state) {
  InputProgress* const progress = state.spool.progress();
  if (progress == nullptr) return absl::OkStatus();
  const auto expect = [&](const std::string& name,
                          absl::Span<const ColumnPtr> columns) {
    int64_t bytes = 0;
    for (const ColumnPtr& column : columns) {
      bytes += column->num_rows() *
               static_cast<int64_t>(column->schema().row_bytes());
    }
    progress->Expect(name, bytes);
  };
  const auto is_dense = [&](int type) {
    return state.nodes[type].ids == IdKind::kDense;
  };
  progress->Begin("numbers the nodes");
  for (size_t t = 0; t < state.nodes.size(); ++t) {
    if (is_dense(static_cast<int>(t))) continue;
    ASSIGN_OR_RETURN(const std::vector<ColumnPtr> ids, IdColumns(state, t));
    expect(DictionaryName(t), ids);
    const ColumnPtr& rows = state.nodes[t].table.id;
    if (rows != nullptr) expect(RowNumbersName(t), {rows});
  }
  for (size_t t = 0; t < state.edges.size(); ++t) {
    const EdgeState& edges = state.edges[t];
    if (!is_dense(edges.src_type)) {
      expect(EndNumbersName(t, "from"), {edges.source.from});
    }
    if (!is_dense(edges.dst_type)) {
      expect(EndNumbersName(t, "to"), {edges.source.to});
    }
  }
  return absl::OkStatus();
}

absl::Status NumberEnds(const LayoutState& state, size_t type,
                        EdgeState& edges) {
  const auto number = [&](int node_type, const char* end,
                          ColumnPtr& column) -> absl::Status {
    const NodeState& nodes = state.nodes[node_type];
    if (!nodes.dictionary.has_value()) return absl::OkStatus();
    ASSIGN_OR_RETURN(
        ColumnPtr numbers,
        NumberIds(*column, *nodes.dictionary, column.get(), state.memory,
                  state.spool, EndNumbersName(type, end)));
    column = At(std::move(numbers), column);
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(number(edges.src_type, "from", edges.source.from));
  RETURN_IF_ERROR(number(edges.dst_type, "to", edges.source.to));
  const int64_t from = edges.source.from->num_rows();
  const int64_t to = edges.source.to->num_rows();
  if (from == to) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(state.layout.origin, ": edges of ", edges.layout.name(),
                   " have ", from, " sources and ", to, " destinations"));
}

absl::StatusOr<int64_t> LargestId(const Column& column) {
  int64_t largest = -1;
  for (int64_t at = 0; at < column.num_rows(); at += kBlock) {
    const int64_t count = std::min(kBlock, column.num_rows() - at);
    ASSIGN_OR_RETURN(const auto ids, ReadValues<int64_t>(column, at, count));
    for (int64_t i = 0; i < count; ++i) {
      if (ids[i] < 0 || ids[i] >= kMaxCount) {
        return absl::OutOfRangeError(
            absl::StrCat(column.Where(at + i), ": ", ids[i],
                         " is no node; allowed: whole numbers from 0"));
      }
      largest = std::max(largest, ids[i]);
    }
  }
  return largest;
}

// Returns one more than the largest end of the type's edges.
absl::StatusOr<int64_t> CountByEnds(const LayoutState& state, int type) {
  int64_t largest = -1;
  for (const EdgeState& edges : state.edges) {
    for (const auto& [end_type, column] :
         {std::pair(edges.src_type, edges.source.from),
          std::pair(edges.dst_type, edges.source.to)}) {
      if (end_type != type) continue;
      ASSIGN_OR_RETURN(const int64_t id, LargestId(*column));
      largest = std::max(largest, id);
    }
  }
  return largest + 1;
}

absl::Status Contradiction(const LayoutState& state, const NodeState& nodes,
                           const std::string& one, int64_t one_count,
                           const std::string& other, int64_t other_count) {
  return absl::InvalidArgumentError(absl::StrCat(
      state.layout.origin, ": nodes of type ", nodes.layout.name, " are ",
      one_count, " by ", one, ", but ", other_count, " by ", other));
}

absl::Status CountNodes(LayoutState& state, size_t type,
                        std::vector<std::string>& notes) {
  NodeState& nodes = state.nodes[type];
  std::string by;
  int64_t count = -1;
  const auto add = [&](int64_t found, const std::string& what) {
    if (count >= 0 && count != found) {
      return Contradiction(state, nodes, by, count, what, found);
    }
    count = found;
    by = what;
    return absl::OkStatus();
  };
  if (nodes.dictionary.has_value()) {
    RETURN_IF_ERROR(add(nodes.dictionary->num_ids(), "their distinct ids"));
  }
  if (nodes.node_of_row != nullptr) {
    // Fewer ids than rows: one is there twice, which the scattering names.
    const auto rows = ScatterRows(*nodes.node_of_row, *nodes.node_of_row,
                                  "node", state.memory, state.spool,
                                  absl::StrCat("nodes", type, "-order"));
    RETURN_IF_ERROR(rows.status());
    RETURN_IF_ERROR(add(nodes.node_of_row->num_rows(), "their table"));
  }
  if (nodes.layout.count.has_value()) {
    RETURN_IF_ERROR(add(*nodes.layout.count, "num_nodes, count or indptr"));
  }
  std::vector<ColumnPtr> columns = {nodes.source.x, nodes.source.y,
                                    nodes.source.time};
  for (const auto& [name, mask] : nodes.table.splits) columns.push_back(mask);
  for (const ColumnPtr& column : columns) {
    if (column == nullptr) continue;
    RETURN_IF_ERROR(add(column->num_rows(), column->Where(0)));
  }
  if (count < 0) {
    ASSIGN_OR_RETURN(count, CountByEnds(state, static_cast<int>(type)));
    notes.push_back(absl::StrCat("nodes of type ", nodes.layout.name, ": ",
                                 count, ", by the largest id of an edge"));
  }
  nodes.source.num_nodes = count;
  return absl::OkStatus();
}

}  // namespace

absl::Status NumberNodes(LayoutState& state, std::vector<std::string>& notes) {
  for (size_t t = 0; t < state.edges.size(); ++t) {
    RETURN_IF_ERROR(OpenEnds(state, t));
  }
  RETURN_IF_ERROR(ExpectNumbers(state));
  for (size_t t = 0; t < state.nodes.size(); ++t) {
    RETURN_IF_ERROR(MakeDictionary(state, t, notes));
  }
  for (size_t t = 0; t < state.edges.size(); ++t) {
    RETURN_IF_ERROR(NumberEnds(state, t, state.edges[t]));
  }
  for (size_t t = 0; t < state.nodes.size(); ++t) {
    RETURN_IF_ERROR(OpenNodeColumns(state, state.nodes[t]));
    RETURN_IF_ERROR(CountNodes(state, t, notes));
    RETURN_IF_ERROR(OrderNodeColumns(state, t, state.nodes[t]));
  }
  return absl::OkStatus();
}

}  // namespace tributary
