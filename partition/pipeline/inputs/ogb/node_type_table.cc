#include "partition/pipeline/inputs/ogb/node_type_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/ogb/ogb_files.h"
#include "partition/pipeline/inputs/text/number_text.h"
#include "partition/pipeline/inputs/text/word_table.h"
#include "partition/schema/schema_check.h"

namespace tributary {
namespace {

std::string Quoted(absl::string_view cell) {
  return absl::StrCat("\"", cell.substr(0, 40), "\"");
}

absl::Status NamedTwice(const WordTable& table, absl::string_view name) {
  return table.ErrorAt(0, absl::StrCat("node type ", name, " is named twice"));
}

// Reads a table that must have a header and one row. OGB has more rows if a
// folder holds more than one graph.
absl::StatusOr<WordTable> ReadHeaderAndRow(const std::string& path) {
  ASSIGN_OR_RETURN(WordTable table, ReadWordTable(path));
  if (table.rows.size() == 2) return table;
  return absl::InvalidArgumentError(absl::StrCat(
      path, " has ", table.rows.size(),
      " rows; allowed: 2, the names of the node types and a row below them"));
}

absl::StatusOr<NodeSource> ReadType(const WordTable& table, size_t column) {
  NodeSource type;
  type.name = table.rows[0][column];
  // The layout has folders of the types' names.
  const absl::Status named = CheckFileName(type.name);
  if (!named.ok()) return table.ErrorAt(0, named.message());
  const std::string& cell = table.rows[1][column];
  const auto count = ParseCount(cell);
  if (!count.has_value()) {
    return table.ErrorAt(
        1, absl::StrCat(Quoted(cell), " nodes of ", type.name,
                        "; allowed: a whole number up to ", kMaxCount));
  }
  type.num_nodes = *count;
  return type;
}

absl::StatusOr<bool> ReadFlag(const WordTable& table, size_t column) {
  const std::string& cell = table.rows[1][column];
  if (cell == "True") return true;
  if (cell == "False") return false;
  return table.ErrorAt(
      1, absl::StrCat(Quoted(cell), " for ", table.rows[0][column],
                      "; allowed: True, False"));
}

bool ByName(const NodeSource& a, const NodeSource& b) {
  return a.name < b.name;
}

}  // namespace

absl::StatusOr<std::vector<NodeSource>> ReadNodeTypes(const std::string& stem) {
  ASSIGN_OR_RETURN(const std::string path, RequireCsv(stem));
  ASSIGN_OR_RETURN(const WordTable table, ReadHeaderAndRow(path));
  std::vector<NodeSource> types;
  for (size_t column = 0; column < table.rows[0].size(); ++column) {
    ASSIGN_OR_RETURN(NodeSource type, ReadType(table, column));
    types.push_back(std::move(type));
  }
  std::sort(types.begin(), types.end(), ByName);
  for (size_t t = 1; t < types.size(); ++t) {
    if (types[t].name == types[t - 1].name) {
      return NamedTwice(table, types[t].name);
    }
  }
  return types;
}

absl::StatusOr<std::optional<std::vector<bool>>> ReadTypeFlags(
    const std::string& stem, const std::vector<NodeSource>& types) {
  ASSIGN_OR_RETURN(const std::string path, FindCsv(stem));
  if (path.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(const WordTable table, ReadHeaderAndRow(path));
  std::vector<bool> flags(types.size(), false), named(types.size(), false);
  for (size_t column = 0; column < table.rows[0].size(); ++column) {
    const std::string& name = table.rows[0][column];
    const int type = FindType(types, name);
    if (type < 0) {
      return table.ErrorAt(
          0, absl::StrCat(Quoted(name),
                          " is no node type; allowed: ", TypeNames(types)));
    }
    if (named[type]) return NamedTwice(table, name);
    named[type] = true;
    ASSIGN_OR_RETURN(flags[type], ReadFlag(table, column));
  }
  return flags;
}

int FindType(const std::vector<NodeSource>& types, absl::string_view name) {
  const auto at =
      std::lower_bound(types.begin(), types.end(), name,
                       [](const NodeSource& type, absl::string_view n) {
                         return absl::string_view(type.name) < n;
                       });
  if (at == types.end() || at->name != name) return -1;
  return static_cast<int>(at - types.begin());
}

std::string TypeNames(const std::vector<NodeSource>& types) {
  return absl::StrJoin(
      types, ", ",
      [](std::string* out, const NodeSource& type) { out->append(type.name); });
}

}  // namespace tributary
