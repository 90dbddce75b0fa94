#include "partition/pipeline/inputs/layout_source/read_tables.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/layout_source/find_ends.h"

namespace tributary {
namespace {

std::vector<std::string> Paths(const GraphLayout& layout,
                               const std::vector<std::string>& files) {
  std::vector<std::string> paths;
  for (const std::string& file : files) paths.push_back(layout.Path(file));
  return paths;
}

// The columns that are wanted of one table, and where they go.
class Wanted {
 public:
  Wanted(Table& table, std::string prefix)
      : table_(table), prefix_(std::move(prefix)) {}

  // Asks for the columns of `place`, if there are any.
  absl::Status Add(const ColumnPlace& place, CellKind kind,
                   const std::string& name, ColumnPtr* to) {
    if (place.columns.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(std::vector<int> columns, table_.Find(place.columns));
    used_.insert(columns.begin(), columns.end());
    requests_.push_back(
        {kind, std::move(columns), absl::StrCat(prefix_, "-", name)});
    targets_.push_back(to);
    return absl::OkStatus();
  }
  // Asks for masks: by name in `to`, which must not change its address.
  absl::Status AddMasks(const std::map<std::string, ColumnPlace>& places,
                        const std::string& name,
                        std::map<std::string, ColumnPtr>& to) {
    int number = 0;  // names may be too long for a file's
    for (const auto& [mask, place] : places) {
      if (place.columns.empty()) continue;
      RETURN_IF_ERROR(
          Add(place, CellKind::kMask, absl::StrCat(name, number++), &to[mask]));
    }
    return absl::OkStatus();
  }

  std::vector<ParsedPart> Parts() const { return table_.Parts(requests_); }

  absl::Status Read(const Spool& spool, std::vector<std::string>& notes) {
    NoteOthers(notes);
    ASSIGN_OR_RETURN(const auto columns, table_.Read(requests_, spool));
    for (size_t i = 0; i < columns.size(); ++i) *targets_[i] = columns[i];
    return absl::OkStatus();
  }

 private:
  void NoteOthers(std::vector<std::string>& notes) const {
    if (!table_.note().empty()) notes.push_back(table_.note());
    constexpr size_t kShown = 20;
    std::vector<std::string> others;
    for (int c = 0; c < table_.num_columns() && others.size() <= kShown; ++c) {
      if (!used_.contains(c)) others.push_back(table_.NameOf(c));
    }
    if (others.empty()) return;
    if (others.size() > kShown) others[kShown] = "...";
    notes.push_back(absl::StrCat(
        table_.path(), ": columns left out: ", absl::StrJoin(others, ", ")));
  }

  Table& table_;
  const std::string prefix_;
  std::vector<CellRequest> requests_;
  std::vector<ColumnPtr*> targets_;
  std::set<int> used_;
};

// Whether one of the places names a column by a word of the header.
bool HasNames(std::initializer_list<const ColumnPlace*> places,
              std::initializer_list<const std::map<std::string, ColumnPlace>*>
                  named_places) {
  const auto is_word = [](const ColumnPlace& place) {
    return absl::c_any_of(place.columns, [](const std::string& name) {
      return !IsColumnNumber(name);
    });
  };
  for (const ColumnPlace* place : places) {
    if (is_word(*place)) return true;
  }
  for (const auto* by_name : named_places) {
    for (const auto& [name, place] : *by_name) {
      if (is_word(place)) return true;
    }
  }
  return false;
}

TableOptions OptionsOf(const GraphLayout& layout, bool named_columns) {
  return {layout.delimiter, layout.header, named_columns};
}

absl::Status OpenTables(LayoutState& state, std::vector<std::string>& notes) {
  for (NodeState& nodes : state.nodes) {
    const NodeLayout& at = nodes.layout;
    if (at.table.empty()) continue;
    const bool named = HasNames(
        {&at.id, &at.features, &at.labels, &at.time, &at.split}, {&at.splits});
    ASSIGN_OR_RETURN(nodes.table.table,
                     OpenTable(Paths(state.layout, at.table),
                               OptionsOf(state.layout, named)));
  }
  for (EdgeState& edges : state.edges) {
    const EdgeLayout& at = edges.layout;
    if (at.table.empty()) continue;
    const bool named =
        HasNames({&at.from, &at.to, &at.features, &at.weight, &at.time},
                 {&at.masks, &at.splits});
    ASSIGN_OR_RETURN(edges.table.table,
                     OpenTable(Paths(state.layout, at.table),
                               OptionsOf(state.layout, named)));
    const bool in_table = at.index.empty() && at.indptr.empty();
    if (in_table && (at.from.empty() || at.to.empty())) {
      RETURN_IF_ERROR(FindEnds(edges.layout, *edges.table.table, notes));
    }
    RETURN_IF_ERROR(CheckTwoEnds(edges.layout, *edges.table.table));
  }
  return absl::OkStatus();
}

// The column of ids of a table of nodes for which the layout has no name: one
// that is called so; or the first, unless ids may be the rows.
void FindIdColumn(NodeState& nodes) {
  if (nodes.table.table == nullptr || !nodes.layout.id.empty()) return;
  const std::vector<std::string> names = PlainNames(*nodes.table.table);
  for (const char* name : {"id", "node_id", "node"}) {
    const auto found = absl::c_find(names, name);
    if (found == names.end()) continue;
    nodes.layout.id.columns = {
        nodes.table.table->NameOf(static_cast<int>(found - names.begin()))};
    return;
  }
  if (nodes.ids != IdKind::kDense) nodes.layout.id.columns = {"0"};
}

// Ids are looked for only where text or Parquet has them: arrays have numbers
// from 0.
void DecideIds(LayoutState& state) {
  for (size_t t = 0; t < state.nodes.size(); ++t) {
    NodeState& nodes = state.nodes[t];
    nodes.ids = nodes.layout.ids.value_or(state.layout.ids);
    if (nodes.ids == IdKind::kAuto) {
      const bool in_table =
          absl::c_any_of(state.edges, [t](const EdgeState& edges) {
            return (edges.src_type == static_cast<int>(t) &&
                    !edges.layout.from.columns.empty()) ||
                   (edges.dst_type == static_cast<int>(t) &&
                    !edges.layout.to.columns.empty());
          });
      if (!in_table && nodes.layout.id.empty()) nodes.ids = IdKind::kDense;
    }
    FindIdColumn(nodes);
  }
}

absl::Status WantNodeColumns(size_t type, NodeState& nodes,
                             std::vector<Wanted>& all) {
  const NodeLayout& at = nodes.layout;
  TableColumns& to = nodes.table;
  if (to.table == nullptr) return absl::OkStatus();
  Wanted& wanted = all.emplace_back(*to.table, absl::StrCat("nodes", type));
  RETURN_IF_ERROR(wanted.Add(at.id, CellKindOf(nodes.ids), "id", &to.id));
  RETURN_IF_ERROR(
      wanted.Add(at.features, CellKind::kFloats, "x", &to.features));
  RETURN_IF_ERROR(wanted.Add(at.labels, CellKind::kLabels, "y", &to.labels));
  RETURN_IF_ERROR(wanted.Add(at.time, CellKind::kTime, "time", &to.time));
  RETURN_IF_ERROR(wanted.Add(at.split, CellKind::kSplit, "split", &to.split));
  return wanted.AddMasks(at.splits, "split", to.splits);
}

absl::Status WantEdgeColumns(const LayoutState& state, size_t type,
                             EdgeState& edges, std::vector<Wanted>& all) {
  const EdgeLayout& at = edges.layout;
  TableColumns& to = edges.table;
  if (to.table == nullptr) return absl::OkStatus();
  const CellKind from_kind = CellKindOf(state.nodes[edges.src_type].ids);
  const CellKind to_kind = CellKindOf(state.nodes[edges.dst_type].ids);
  Wanted& wanted = all.emplace_back(*to.table, absl::StrCat("edges", type));
  RETURN_IF_ERROR(wanted.Add(at.from, from_kind, "from", &to.from));
  RETURN_IF_ERROR(wanted.Add(at.to, to_kind, "to", &to.to));
  RETURN_IF_ERROR(
      wanted.Add(at.features, CellKind::kFloats, "attr", &to.features));
  RETURN_IF_ERROR(
      wanted.Add(at.weight, CellKind::kWeight, "weight", &to.weight));
  RETURN_IF_ERROR(wanted.Add(at.time, CellKind::kTime, "time", &to.time));
  RETURN_IF_ERROR(wanted.AddMasks(at.masks, "mask", to.masks));
  return wanted.AddMasks(at.splits, "split", to.splits);
}

}  // namespace

CellKind CellKindOf(IdKind ids) {
  switch (ids) {
    case IdKind::kDense:
      return CellKind::kDenseId;
    case IdKind::kNumber:
      return CellKind::kNumberId;
    case IdKind::kAuto:
    case IdKind::kString:
      break;
  }
  return CellKind::kTextId;
}

absl::StatusOr<std::shared_ptr<Table>> OpenList(
    const GraphLayout& layout, const std::vector<std::string>& files) {
  TableOptions options = OptionsOf(layout, false);
  options.header.reset();  // that of the big tables says nothing here
  return OpenTable(Paths(layout, files), options);
}

absl::Status ReadTables(LayoutState& state, std::vector<std::string>& notes) {
  RETURN_IF_ERROR(OpenTables(state, notes));
  DecideIds(state);
  std::vector<Wanted> wanted;
  for (size_t t = 0; t < state.nodes.size(); ++t) {
    RETURN_IF_ERROR(WantNodeColumns(t, state.nodes[t], wanted));
  }
  for (size_t t = 0; t < state.edges.size(); ++t) {
    RETURN_IF_ERROR(WantEdgeColumns(state, t, state.edges[t], wanted));
  }
  std::vector<ParsedPart> parts;
  for (const Wanted& table : wanted) {
    absl::c_move(table.Parts(), std::back_inserter(parts));
  }
  RETURN_IF_ERROR(state.spool.Expect(parts));
  for (Wanted& table : wanted) {
    RETURN_IF_ERROR(table.Read(state.spool, notes));
  }
  return absl::OkStatus();
}

}  // namespace tributary
