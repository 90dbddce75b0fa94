#include "partition/pipeline/inputs/ogb/relation_names.h"

#include <map>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/ogb/ogb_files.h"
#include "partition/pipeline/inputs/text/number_text.h"
#include "partition/pipeline/inputs/text/word_table.h"
#include "partition/schema/schema_check.h"

namespace tributary {
namespace {

constexpr char kGoOn[] =
    "; change the name in the file, or give --relation-names numbers to call "
    "the relations r0, r1, ...";

struct NamesFile {
  std::string path;  // empty: there is none
  bool with_ids = false;
};

absl::StatusOr<NamesFile> FindNamesFile(const std::string& folder) {
  ASSIGN_OR_RETURN(std::string path, FindCsv(folder + "/raw/relation"));
  if (!path.empty()) return NamesFile{std::move(path), false};
  for (const char* name : {"relidx2relname", "reltype2relid"}) {
    ASSIGN_OR_RETURN(path, FindCsv(absl::StrCat(folder, "/mapping/", name)));
    if (!path.empty()) return NamesFile{std::move(path), true};
  }
  return NamesFile{};
}

std::string Unquoted(absl::string_view cell) {
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') {
    cell = cell.substr(1, cell.size() - 2);
  }
  return std::string(cell);
}

class NameTable {
 public:
  NameTable(const WordTable& table, int64_t num_relations)
      : table_(table), names_(num_relations), line_of_(num_relations, 0) {}

  absl::Status Add(size_t row, int64_t id, const std::string& name) {
    if (id < 0 || id >= static_cast<int64_t>(names_.size())) {
      return table_.ErrorAt(
          row, absl::StrCat("relation ", id, "; allowed: 0 to ",
                            static_cast<int64_t>(names_.size()) - 1,
                            ", as num-relation-list says"));
    }
    if (line_of_[id] != 0) {
      return table_.ErrorAt(
          row, absl::StrCat("relation ", id, " has a name in line ",
                            line_of_[id], " already"));
    }
    const absl::Status allowed = CheckTypeName(name);
    if (!allowed.ok()) {
      return table_.ErrorAt(row, absl::StrCat(allowed.message(), kGoOn));
    }
    const auto [at, fresh] = taken_.emplace(name, row + 1);
    if (!fresh) {
      return table_.ErrorAt(
          row, absl::StrCat("\"", absl::CHexEscape(name), "\" is in line ",
                            at->second, " already", kGoOn));
    }
    names_[id] = name;
    line_of_[id] = row + 1;
    return absl::OkStatus();
  }

  absl::Status CheckReverses() const {
    for (const auto& [name, line] : taken_) {
      const absl::Status allowed = CheckTypeName("rev_" + name);
      if (!allowed.ok()) {
        return table_.ErrorAt(
            line - 1, absl::StrCat(allowed.message(), ", as --add-reverse ",
                                   "would call its reverse", kGoOn));
      }
      const auto reverse = taken_.find("rev_" + name);
      if (reverse == taken_.end()) continue;
      return table_.ErrorAt(
          reverse->second - 1,
          absl::StrCat("\"rev_", absl::CHexEscape(name),
                       "\" is also the name of the reverse of line ", line,
                       kGoOn));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<std::string>> Finish() && {
    for (size_t id = 0; id < names_.size(); ++id) {
      if (line_of_[id] != 0) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(table_.path, " has no name of relation ", id,
                       "; allowed: a name for each of the ", names_.size(),
                       " that num-relation-list says"));
    }
    return std::move(names_);
  }

 private:
  const WordTable& table_;
  std::vector<std::string> names_;
  std::vector<size_t> line_of_;  // by relation; 0: no name yet
  std::map<std::string, size_t> taken_;
};

absl::StatusOr<int64_t> IdOf(const WordTable& table, size_t row) {
  const std::string& cell = table.rows[row][0];
  const auto id = ParseId(cell);
  if (id.has_value()) return *id;
  return table.ErrorAt(row,
                       absl::StrCat("\"", absl::CHexEscape(cell.substr(0, 40)),
                                    "\"; allowed: the number of a relation"));
}

absl::StatusOr<std::vector<std::string>> ReadNames(const NamesFile& file,
                                                   int64_t num_relations,
                                                   bool add_reverse) {
  ASSIGN_OR_RETURN(const WordTable table, ReadWordTable(file.path));
  const size_t columns = file.with_ids ? 2 : 1;
  if (!table.rows.empty() && table.rows[0].size() != columns) {
    return table.ErrorAt(0, absl::StrCat(table.rows[0].size(),
                                         " cells; allowed: ", columns, kGoOn));
  }
  NameTable names(table, num_relations);
  for (size_t row = file.with_ids ? 1 : 0; row < table.rows.size(); ++row) {
    auto id = static_cast<int64_t>(row);
    if (file.with_ids) {
      ASSIGN_OR_RETURN(id, IdOf(table, row));
    }
    RETURN_IF_ERROR(names.Add(row, id, Unquoted(table.rows[row].back())));
  }
  if (add_reverse) RETURN_IF_ERROR(names.CheckReverses());
  return std::move(names).Finish();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ReadRelationNames(
    const InputOptions& options, int64_t num_relations) {
  if (options.relation_names != "file" && options.relation_names != "numbers") {
    return absl::InvalidArgumentError(absl::StrCat(
        "--relation-names \"", absl::CHexEscape(options.relation_names),
        "\"; allowed: file, numbers"));
  }
  if (options.relation_names == "file") {
    ASSIGN_OR_RETURN(const NamesFile file, FindNamesFile(options.folder));
    if (!file.path.empty()) {
      return ReadNames(file, num_relations, options.add_reverse);
    }
  }
  std::vector<std::string> names;
  for (int64_t k = 0; k < num_relations; ++k) {
    names.push_back(absl::StrCat("r", k));
  }
  return names;
}

}  // namespace tributary
