#include "partition/pipeline/inputs/layout_source/read_splits.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/arrays/array_file.h"
#include "partition/pipeline/inputs/arrays/placed_column.h"
#include "partition/pipeline/inputs/arrays/value_columns.h"
#include "partition/pipeline/inputs/layout/layout_json.h"
#include "partition/pipeline/inputs/layout_source/layout_arrays.h"
#include "partition/pipeline/inputs/layout_source/read_tables.h"
#include "partition/pipeline/inputs/tables/id_text.h"

namespace tributary {
namespace {

constexpr int64_t kBlock = 65536;

bool IsArray(const std::string& name) {
  return absl::EndsWith(name, ".npy") || absl::StrContains(name, ".npz:");
}

// Returns what an array's name, as of "train_mask.npy", says that it is.
ListUse UseOf(absl::string_view name) {
  absl::ConsumeSuffix(&name, ".npy");
  if (absl::EndsWith(name, "_mask")) return ListUse::kMaskByName;
  if (absl::EndsWith(name, "_idx")) return ListUse::kListByName;
  return ListUse::kEither;
}

// Returns whether a split has one of the usual names, of any scheme.
bool IsUsualSplit(absl::string_view name) {
  name.remove_prefix(name.find('/') + 1);  // npos + 1 is 0
  return name == "train" || name == "valid" || name == "test";
}

// Refuses a text that has a mask where a list of ids or rows is wanted.
absl::Status CheckNoMask(const Column& list) {
  IdTextReader in(list);
  absl::string_view text;
  int64_t rows = 0;
  while (in.Next(&text)) {
    if (text != "0" && text != "1") return absl::OkStatus();
    ++rows;
  }
  RETURN_IF_ERROR(in.status());
  if (rows < 3) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      list.Where(0), ": a list of ", rows,
      " numbers 0 and 1 alone, as a mask has; allowed: a number a line, each "
      "once; a mask as a column of the table, or an array of bool"));
}

// Returns the rows where a mask is set.
absl::StatusOr<std::vector<int64_t>> SetRows(const Column& mask) {
  std::vector<int64_t> rows;
  for (int64_t at = 0; at < mask.num_rows(); at += kBlock) {
    const int64_t count = std::min(kBlock, mask.num_rows() - at);
    ASSIGN_OR_RETURN(const auto values, ReadValues<uint8_t>(mask, at, count));
    for (int64_t i = 0; i < count; ++i) {
      if (values[i] != 0) rows.push_back(at + i);
    }
  }
  return rows;
}

class SplitReader {
 public:
  SplitReader(const LayoutState& state, std::vector<std::string>& notes)
      : state_(state), notes_(notes) {}

  absl::StatusOr<std::vector<SplitSource>> Read() {
    for (const NodeState& nodes : state_.nodes) {
      RETURN_IF_ERROR(ReadNodeSplits(nodes));
    }
    for (const EdgeState& edges : state_.edges) {
      RETURN_IF_ERROR(ReadEdgeSplits(edges));
    }
    const auto key = [](const SplitSource& split) {
      return std::tie(split.scheme, split.type, split.name);
    };
    absl::c_sort(splits_, [&](const SplitSource& a, const SplitSource& b) {
      return key(a) < key(b);
    });
    for (size_t i = 1; i < splits_.size(); ++i) {
      if (key(splits_[i - 1]) != key(splits_[i])) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(state_.layout.origin, ": the split ", splits_[i].name,
                       " of ", splits_[i].type, " is there twice"));
    }
    return std::move(splits_);
  }

 private:
  SplitSource& Add(const std::string& full_name, const std::string& type) {
    const size_t slash = full_name.find('/');
    SplitSource split;
    split.type = type;
    split.name = full_name.substr(slash == std::string::npos ? 0 : slash + 1);
    if (slash != std::string::npos) split.scheme = full_name.substr(0, slash);
    splits_.push_back(std::move(split));
    return splits_.back();
  }

  // Returns the nodes of rows of the table, ascending.
  absl::StatusOr<std::vector<int64_t>> NodesOfRows(const NodeState& nodes,
                                                   std::vector<int64_t> rows) {
    if (nodes.node_of_row == nullptr) return rows;
    size_t next = 0;  // rows ascend
    for (int64_t at = 0; next < rows.size(); at += kBlock) {
      const int64_t count =
          std::min(kBlock, nodes.node_of_row->num_rows() - at);
      ASSIGN_OR_RETURN(const auto numbers,
                       ReadValues<int64_t>(*nodes.node_of_row, at, count));
      for (; next < rows.size() && rows[next] < at + count; ++next) {
        rows[next] = numbers[rows[next] - at];
      }
    }
    absl::c_sort(rows);
    return rows;
  }

  absl::Status ReadNodeSplits(const NodeState& nodes) {
    const std::string& type = nodes.layout.name;
    for (const auto& [name, place] : nodes.layout.splits) {
      ASSIGN_OR_RETURN(auto ids, NodeSplit(nodes, name, place));
      Add(name, type).nodes = std::move(ids);
    }
    if (nodes.table.split == nullptr) return absl::OkStatus();
    std::map<std::string, std::vector<int64_t>> rows;
    IdTextReader in(*nodes.table.split);
    absl::string_view text;
    for (int64_t row = 0; in.Next(&text); ++row) {
      if (row >= nodes.source.num_nodes) {
        return absl::InvalidArgumentError(absl::StrCat(
            nodes.table.split->Where(row), ": a row more than the ",
            nodes.source.num_nodes, " nodes of type ", type));
      }
      if (text.empty()) continue;
      const auto name = SplitName(std::string(text));
      if (!name.ok()) {
        return absl::InvalidArgumentError(absl::StrCat(
            nodes.table.split->Where(row), ": ", name.status().message()));
      }
      constexpr size_t kMostSplits = 256;
      std::vector<int64_t>& of_name = rows[*name];
      if (of_name.empty() && !IsUsualSplit(*name)) {
        notes_.push_back(absl::StrCat(
            nodes.table.split->Where(row), ": \"", text,
            "\" is none of train, val, valid, test and nothing; its nodes are "
            "the split ",
            *name));
      }
      of_name.push_back(row);
      if (rows.size() <= kMostSplits) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(nodes.table.split->Where(row), ": \"", *name,
                       "\" is one more than the ", kMostSplits,
                       " splits allowed; is this the column of splits?"));
    }
    RETURN_IF_ERROR(in.status());
    for (auto& [name, of_name] : rows) {
      ASSIGN_OR_RETURN(auto ids, NodesOfRows(nodes, std::move(of_name)));
      Add(name, type).nodes = std::move(ids);
    }
    return absl::OkStatus();
  }

  absl::Status CheckLength(const Column& mask, int64_t wanted) const {
    if (mask.num_rows() == wanted) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(mask.Where(0), " begins a mask of ", mask.num_rows(),
                     " rows; wanted: ", wanted));
  }

  absl::StatusOr<std::vector<int64_t>> NodeSplit(const NodeState& nodes,
                                                 const std::string& name,
                                                 const ColumnPlace& place) {
    if (!place.columns.empty()) {
      ASSIGN_OR_RETURN(auto rows, SetRows(*nodes.table.splits.at(name)));
      return NodesOfRows(nodes, std::move(rows));
    }
    ASSIGN_OR_RETURN(auto rows, MaskRows(place, nodes.source.num_nodes));
    if (rows.has_value()) return NodesOfRows(nodes, *std::move(rows));
    ASSIGN_OR_RETURN(const auto columns, ListColumns(place, {&nodes}));
    return Numbers(*columns[0], nodes);
  }

  // Returns the rows that are set if the arrays of a place are a mask of
  // `num_rows`; nullopt if they are a list.
  absl::StatusOr<std::optional<std::vector<int64_t>>> MaskRows(
      const ColumnPlace& place, int64_t num_rows) const {
    if (!IsArray(place.arrays[0])) return std::nullopt;
    const ListUse use = UseOf(place.arrays[0]);
    const std::vector<std::string> paths = ArrayPaths(state_.layout, place);
    ASSIGN_OR_RETURN(ColumnPtr column, OpenArrays(paths));
    const ColumnSchema schema = column->schema();
    const bool no_list = schema.dim > 1 || IsFloating(schema.dtype);
    bool is_mask = schema.dtype == DType::kBool ||
                   (use == ListUse::kMaskByName && no_list);
    if (!is_mask) {
      ASSIGN_OR_RETURN(column, AsInt64(std::move(column), paths[0]));
      ASSIGN_OR_RETURN(const auto numbers,
                       ReadValues<int64_t>(*column, 0, column->num_rows()));
      ASSIGN_OR_RETURN(is_mask, AreMaskOf(num_rows, numbers, use, paths[0]));
    }
    if (!is_mask) return std::nullopt;
    ASSIGN_OR_RETURN(column, AsMask(std::move(column), paths[0]));
    RETURN_IF_ERROR(CheckLength(*column, num_rows));
    ASSIGN_OR_RETURN(auto rows, SetRows(*column));
    return rows;
  }

  // Opens a list of ids: the arrays, or the first columns of text, one for each
  // of `types`.
  absl::StatusOr<std::vector<ColumnPtr>> ListColumns(
      const ColumnPlace& place, std::vector<const NodeState*> types) {
    if (IsArray(place.arrays[0])) {
      ASSIGN_OR_RETURN(ColumnPtr ids, OpenIds(state_.layout, place));
      return std::vector<ColumnPtr>{std::move(ids)};
    }
    ASSIGN_OR_RETURN(const auto table, OpenList(state_.layout, place.arrays));
    std::vector<CellRequest> requests;
    for (size_t i = 0; i < types.size(); ++i) {
      const IdKind kind = types[i] == nullptr ? IdKind::kDense : types[i]->ids;
      ASSIGN_OR_RETURN(auto columns, table->Find({absl::StrCat(i)}));
      requests.push_back({CellKindOf(kind), std::move(columns),
                          absl::StrCat("list", num_lists_++)});
    }
    ASSIGN_OR_RETURN(auto columns, table->Read(requests, state_.spool));
    if (columns.size() == 1) RETURN_IF_ERROR(CheckNoMask(*columns[0]));
    return columns;
  }

  // Returns the numbers of ids as the user writes them.
  absl::StatusOr<std::vector<int64_t>> Numbers(const Column& ids,
                                               const NodeState& nodes) {
    if (!nodes.dictionary.has_value()) {
      return Checked(ids, ids, nodes.source.num_nodes,
                     absl::StrCat("node of type ", nodes.layout.name));
    }
    ASSIGN_OR_RETURN(
        const ColumnPtr numbers,
        NumberIds(ids, *nodes.dictionary, &ids, state_.memory, state_.spool,
                  absl::StrCat("list", num_lists_++)));
    return ReadValues<int64_t>(*numbers, 0, numbers->num_rows());
  }

  // Returns the values, which must be below `count`.
  static absl::StatusOr<std::vector<int64_t>> Checked(const Column& column,
                                                      const Column& place,
                                                      int64_t count,
                                                      const std::string& what) {
    ASSIGN_OR_RETURN(auto values,
                     ReadValues<int64_t>(column, 0, column.num_rows()));
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] >= 0 && values[i] < count) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(place.Where(static_cast<int64_t>(i)), ": ", values[i],
                       " is no ", what, "; allowed: 0 to ", count - 1));
    }
    return values;
  }

  absl::Status ReadEdgeSplits(const EdgeState& edges) {
    for (const auto& [name, place] : edges.layout.splits) {
      SplitSource& split = Add(name, edges.layout.name());
      RETURN_IF_ERROR(EdgeSplit(edges, name, place, split));
    }
    return absl::OkStatus();
  }

  absl::Status EdgeSplit(const EdgeState& edges, const std::string& name,
                         const ColumnPlace& place, SplitSource& split) {
    const int64_t num_rows = edges.source.num_rows();
    if (!place.columns.empty()) {
      ASSIGN_OR_RETURN(split.rows, SetRows(*edges.table.splits.at(name)));
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const bool pairs, ArePairs(place));
    if (!pairs) {
      ASSIGN_OR_RETURN(auto mask, MaskRows(place, num_rows));
      if (mask.has_value()) {
        split.rows = *std::move(mask);
        return absl::OkStatus();
      }
      ASSIGN_OR_RETURN(const auto rows, ListColumns(place, {nullptr}));
      ASSIGN_OR_RETURN(split.rows,
                       Checked(*rows[0], *rows[0], num_rows,
                               "row of edges of " + edges.layout.name()));
      return absl::OkStatus();
    }
    const NodeState& from = state_.nodes[edges.src_type];
    const NodeState& to = state_.nodes[edges.dst_type];
    std::vector<ColumnPtr> ends;
    if (IsArray(place.arrays[0])) {
      ASSIGN_OR_RETURN(EndArrays arrays,
                       OpenPairs(ArrayPaths(state_.layout, place)));
      ends = {std::move(arrays.from), std::move(arrays.to)};
    } else {
      ASSIGN_OR_RETURN(ends, ListColumns(place, {&from, &to}));
    }
    ASSIGN_OR_RETURN(split.from, Numbers(*ends[0], from));
    ASSIGN_OR_RETURN(split.to, Numbers(*ends[1], to));
    return absl::OkStatus();
  }

  // Whether a list has two columns.
  absl::StatusOr<bool> ArePairs(const ColumnPlace& place) const {
    if (!IsArray(place.arrays[0])) {
      ASSIGN_OR_RETURN(const auto table, OpenList(state_.layout, place.arrays));
      return table->num_columns() > 1;
    }
    ASSIGN_OR_RETURN(const FileArray array,
                     OpenArray(state_.layout.Path(place.arrays[0])));
    const auto& shape = array.header.shape;
    if (shape.size() != 2 || array.header.type.kind == 'b') return false;
    // A column of numbers is one pair if it may be.
    return shape[1] != 1 ||
           (shape[0] == 2 && UseOf(place.arrays[0]) == ListUse::kEither);
  }

  const LayoutState& state_;
  std::vector<std::string>& notes_;
  std::vector<SplitSource> splits_;
  int num_lists_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<SplitSource>> ReadSplits(
    const LayoutState& state, std::vector<std::string>& notes) {
  return SplitReader(state, notes).Read();
}

}  // namespace tributary
