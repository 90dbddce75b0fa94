#include "partition/pipeline/inputs/ogb/ogb_hetero_reader.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "common/io/buffer.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/csv/csv_column.h"
#include "partition/pipeline/inputs/ogb/expected_tables.h"
#include "partition/pipeline/inputs/ogb/node_type_table.h"
#include "partition/pipeline/inputs/ogb/ogb_files.h"
#include "partition/pipeline/inputs/ogb/relation_list.h"
#include "partition/pipeline/inputs/ogb/typed_graph.h"
#include "partition/pipeline/inputs/ogb/typed_splits.h"

namespace tributary {
namespace {

using Flags = std::optional<std::vector<bool>>;

// Checks the number of nodes, which the other files cannot confirm, since all
// may be isolated, against the machine's memory: a partition each.
absl::Status CheckMemory(const std::vector<NodeSource>& types) {
  double bytes = 0;
  for (const NodeSource& type : types) {
    bytes += static_cast<double>(type.num_nodes) * sizeof(uint16_t);
  }
  const uint64_t memory = PhysicalMemoryBytes();
  if (bytes <= static_cast<double>(memory)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "num-node-dict says more nodes than memory holds: they take at least ",
      bytes, " bytes; allowed: this machine's ", memory));
}

class HeteroReader {
 public:
  HeteroReader(const InputOptions& options, const Spool& spool)
      : options_(options),
        spool_(spool),
        raw_(options.folder + "/raw/"),
        graph_(options) {}

  absl::StatusOr<GraphSource> Read() && {
    ASSIGN_OR_RETURN(types(), ReadNodeTypes(raw_ + "num-node-dict"));
    ASSIGN_OR_RETURN(relations_,
                     ReadRelationList(raw_ + "triplet-type-list", types(),
                                      options_.add_reverse));
    RETURN_IF_ERROR(CheckMemory(types()));
    RETURN_IF_ERROR(ExpectTables());
    RETURN_IF_ERROR(
        ReadNodeRows("node-feat", "feat", ReadFloatTable, &NodeSource::x));
    RETURN_IF_ERROR(
        ReadNodeRows("node-label", "label", ReadLabelTable, &NodeSource::y));
    RETURN_IF_ERROR(ReadNodeTimes());
    RETURN_IF_ERROR(graph_.ReadNodeSplits(
        [this](const std::string& folder) { return LookAtScheme(folder); }));
    RETURN_IF_ERROR(ReadRelations());
    return std::move(graph_).Finish();
  }

 private:
  std::vector<NodeSource>& types() { return graph_.types(); }

  // Announces all tables before the first is parsed. What is wrong with a count
  // is said where it is needed.
  absl::Status ExpectTables() const {
    ExpectedTables tables;
    for (const NodeSource& type : graph_.types()) {
      const auto stem = [&](const std::string& files) {
        return absl::StrCat(raw_, files, "/", type.name, "/", files);
      };
      tables.Add(stem("node-feat"), type.num_nodes, ReadFloatTable);
      tables.Add(stem("node-label"), type.num_nodes, ReadLabelTable);
      const NamedFile times = NodeTimeFile(options_);
      if (times.name.has_value()) {
        tables.Add(stem(*times.name), type.num_nodes, times.read);
      }
    }
    for (const Relation& relation : relations_) {
      const std::string at = FolderOf(relation);
      tables.AddEdges(at, ReadCount(at + "num-edge-list").value_or(0),
                      options_);
    }
    return spool_.Expect(tables.parts());
  }

  // Reads a column of all node types that have it: raw/<files>/<type>/<files>.
  absl::Status ReadNodeRows(const std::string& files, const std::string& table,
                            TableReader read, ColumnPtr NodeSource::*column) {
    const std::string flags_at = raw_ + "nodetype-has-" + table;
    ASSIGN_OR_RETURN(const Flags flags, ReadTypeFlags(flags_at, types()));
    RETURN_IF_ERROR(NoteUnknownFolders(raw_ + files));
    for (size_t t = 0; t < types().size(); ++t) {
      NodeSource& type = types()[t];
      const std::string stem =
          absl::StrCat(raw_, files, "/", type.name, "/", files);
      ASSIGN_OR_RETURN(
          type.*column,
          ReadOptional(stem, {type.num_nodes, "num-node-dict"}, read, spool_));
      RETURN_IF_ERROR(
          CheckTypeFlag(flags, t, type.*column != nullptr, flags_at, stem));
    }
    return absl::OkStatus();
  }

  // Reads raw/NAME/<type>/NAME of the types that have it; at least one must.
  absl::Status ReadNodeTimes() {
    const NamedFile file = NodeTimeFile(options_);
    if (!file.name.has_value()) return absl::OkStatus();
    const std::string folder = raw_ + *file.name;
    RETURN_IF_ERROR(NoteUnknownFolders(folder));
    bool found = false;
    for (NodeSource& type : types()) {
      const std::string stem =
          absl::StrCat(folder, "/", type.name, "/", *file.name);
      ASSIGN_OR_RETURN(type.time,
                       ReadOptional(stem, {type.num_nodes, "num-node-dict"},
                                    file.read, spool_));
      found = found || type.time != nullptr;
    }
    if (found) return absl::OkStatus();
    return NamedFileMissing(file, folder + "/<type>/");
  }

  static absl::Status NamedFileMissing(const NamedFile& file,
                                       const std::string& folder) {
    return absl::NotFoundError(
        absl::StrCat(folder, *file.name, ".csv.gz (or .csv), which ", file.flag,
                     " names, is nowhere there"));
  }

  // Reads a file of the relation's folder, if it exists.
  absl::StatusOr<ColumnPtr> ReadEdgeFile(const NamedFile& file,
                                         const std::string& folder,
                                         const RowCount& count, bool& found) {
    if (!file.name.has_value()) return ColumnPtr();
    ASSIGN_OR_RETURN(ColumnPtr column, ReadOptional(folder + *file.name, count,
                                                    file.read, spool_));
    found = found || column != nullptr;
    return column;
  }

  // Reads those of the requested masks that the relation has.
  absl::StatusOr<std::map<std::string, ColumnPtr>> ReadMasks(
      const std::string& folder, const RowCount& count) {
    std::map<std::string, ColumnPtr> masks;
    for (const NamedFile& file : EdgeMaskFiles(options_)) {
      bool found = false;
      ASSIGN_OR_RETURN(ColumnPtr mask,
                       ReadEdgeFile(file, folder, count, found));
      if (!found) continue;
      found_masks_.insert(*file.name);
      masks[*file.name] = std::move(mask);
    }
    return masks;
  }

  // Notes folders that are named after no node type (nor, with `relations`,
  // after a relation).
  absl::Status NoteUnknownFolders(const std::string& folder,
                                  bool relations = false) {
    ASSIGN_OR_RETURN(const auto names, ListFolders(folder));
    for (const std::string& name : names) {
      const bool listed = absl::c_any_of(
          relations_, [&](const Relation& r) { return r.folder() == name; });
      if (FindType(types(), name) >= 0 || (relations && listed)) continue;
      Note(absl::StrCat(folder, "/", name), "node type");
    }
    return absl::OkStatus();
  }

  void Note(const std::string& path, const char* what) {
    graph_.Note(absl::StrCat(path, " is of no ", what, " and left out"));
  }

  absl::Status LookAtScheme(const std::string& folder) {
    RETURN_IF_ERROR(NoteUnknownFolders(folder, /*relations=*/true));
    for (const char* name : {"test", "train", "valid"}) {
      ASSIGN_OR_RETURN(const std::string path, FindCsv(folder + "/" + name));
      if (!path.empty()) Note(path, "node type");
    }
    return absl::OkStatus();
  }

  absl::Status ReadRelations() {
    RETURN_IF_ERROR(NoteUnlistedRelations());
    for (const Relation& relation : relations_) {
      RETURN_IF_ERROR(ReadRelation(relation));
    }
    if (options_.edge_weight.has_value() && !found_weights_) {
      return NamedFileMissing(EdgeWeightFile(options_), raw_ + "relations/*/");
    }
    if (options_.edge_time.has_value() && !found_times_) {
      return NamedFileMissing(EdgeTimeFile(options_), raw_ + "relations/*/");
    }
    for (const NamedFile& file : EdgeMaskFiles(options_)) {
      if (found_masks_.contains(*file.name)) continue;
      return NamedFileMissing(file, raw_ + "relations/*/");
    }
    return absl::OkStatus();
  }

  absl::Status NoteUnlistedRelations() {
    std::vector<std::string> listed;
    for (const Relation& r : relations_) listed.push_back(r.folder());
    std::sort(listed.begin(), listed.end());
    ASSIGN_OR_RETURN(const auto folders, ListFolders(raw_ + "relations"));
    for (const std::string& name : folders) {
      if (!std::binary_search(listed.begin(), listed.end(), name)) {
        Note(raw_ + "relations/" + name, "relation of triplet-type-list");
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadRelation(const Relation& relation) {
    const std::string at = FolderOf(relation);
    ASSIGN_OR_RETURN(const int64_t count, ReadCount(at + "num-edge-list"));
    const RowCount rows(count, "its num-edge-list");
    EdgeSource edges{.dedupe = options_.dedupe};
    ASSIGN_OR_RETURN(edges.edge_attr, ReadOptional(at + "edge-feat", rows,
                                                   ReadFloatTable, spool_));
    ASSIGN_OR_RETURN(edges.weight, ReadEdgeFile(EdgeWeightFile(options_), at,
                                                rows, found_weights_));
    ASSIGN_OR_RETURN(edges.time, ReadEdgeFile(EdgeTimeFile(options_), at, rows,
                                              found_times_));
    ASSIGN_OR_RETURN(edges.masks, ReadMasks(at, rows));
    ASSIGN_OR_RETURN(const std::string path, RequireCsv(at + "edge"));
    ASSIGN_OR_RETURN(EndColumns ends,
                     ReadEdgeTable(path, rows, NodesOf(relation.src_type),
                                   NodesOf(relation.dst_type), spool_));
    edges.from = std::move(ends.from);
    edges.to = std::move(ends.to);
    return graph_.AddRelation(relation, count, std::move(edges));
  }

  std::string FolderOf(const Relation& relation) const {
    return absl::StrCat(raw_, "relations/", relation.folder(), "/");
  }

  int64_t NodesOf(int type) const { return graph_.types()[type].num_nodes; }

  const InputOptions& options_;
  const Spool& spool_;
  const std::string raw_;
  std::vector<Relation> relations_;
  bool found_weights_ = false;
  bool found_times_ = false;
  std::set<std::string> found_masks_;
  TypedGraph graph_;
};

}  // namespace

absl::StatusOr<GraphSource> ReadOgbHetero(const InputOptions& options,
                                          const Spool& spool) {
  return HeteroReader(options, spool).Read();
}

}  // namespace tributary
