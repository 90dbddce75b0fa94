#include "partition/pipeline/inputs/ogb/relation_list.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/ogb/node_type_table.h"
#include "partition/pipeline/inputs/ogb/ogb_files.h"
#include "partition/pipeline/inputs/text/word_table.h"
#include "partition/schema/schema_check.h"

namespace tributary {
namespace {

absl::StatusOr<int> TypeOf(const std::vector<NodeSource>& types,
                           const WordTable& table, size_t row,
                           const std::string& name) {
  const int type = FindType(types, name);
  if (type >= 0) return type;
  return table.ErrorAt(
      row, absl::StrCat("\"", name.substr(0, 40), "\" is no node type of ",
                        "num-node-dict; allowed: ", TypeNames(types)));
}

absl::StatusOr<Relation> ReadRelation(const std::vector<NodeSource>& types,
                                      const WordTable& table, size_t row) {
  const std::vector<std::string>& cells = table.rows[row];
  if (cells.size() != 3) {
    return table.ErrorAt(row, absl::StrCat(cells.size(),
                                           " cells; allowed: 3, "
                                           "\"head,relation,tail\""));
  }
  Relation relation{cells[0], cells[1], cells[2]};
  ASSIGN_OR_RETURN(relation.src_type, TypeOf(types, table, row, relation.src));
  ASSIGN_OR_RETURN(relation.dst_type, TypeOf(types, table, row, relation.dst));
  const absl::Status named = CheckTypeName(relation.rel);
  if (!named.ok()) return table.ErrorAt(row, named.message());
  return relation;
}

// Checks names of files and tensors for duplicates: they join the parts of an
// edge type, so that two edge types may have the same one.
class TakenNames {
 public:
  explicit TakenNames(const WordTable& table) : table_(table) {}

  absl::Status Take(const Relation& relation, size_t row,
                    absl::string_view why) {
    const std::string joined =
        absl::StrCat(relation.src, "__", relation.rel, "__", relation.dst);
    const auto [at, fresh] = taken_.emplace(joined, relation.name());
    if (fresh) return absl::OkStatus();
    if (at->second == relation.name()) {
      return table_.ErrorAt(row, absl::StrCat(relation.name(), why));
    }
    return table_.ErrorAt(
        row, absl::StrCat(relation.name(), " and ", at->second,
                          " would both be called ", joined, "; rename one"));
  }

 private:
  const WordTable& table_;
  std::map<std::string, std::string> taken_;  // joined name -> edge type
};

absl::Status ReserveReverseName(const WordTable& table, size_t row,
                                const Relation& relation, TakenNames& names) {
  const Relation reverse = relation.Reverse();
  const absl::Status named = CheckTypeName(reverse.rel);
  if (!named.ok()) return table.ErrorAt(row, named.message());
  return names.Take(
      reverse, row,
      absl::StrCat(" is there already, as the reverse of ", relation.name(),
                   "; allowed: no --add-reverse, or a list "
                   "without it"));
}

}  // namespace

absl::StatusOr<std::vector<Relation>> ReadRelationList(
    const std::string& stem, const std::vector<NodeSource>& types,
    bool add_reverse) {
  ASSIGN_OR_RETURN(const std::string path, RequireCsv(stem));
  ASSIGN_OR_RETURN(const WordTable table, ReadWordTable(path));
  std::vector<Relation> relations;
  TakenNames names(table);
  for (size_t row = 0; row < table.rows.size(); ++row) {
    ASSIGN_OR_RETURN(Relation relation, ReadRelation(types, table, row));
    RETURN_IF_ERROR(names.Take(relation, row, " is listed twice"));
    relations.push_back(std::move(relation));
  }
  if (!add_reverse) return relations;
  for (size_t row = 0; row < relations.size(); ++row) {
    RETURN_IF_ERROR(ReserveReverseName(table, row, relations[row], names));
  }
  return relations;
}

}  // namespace tributary
