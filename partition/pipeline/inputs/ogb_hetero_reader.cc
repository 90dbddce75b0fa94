#include "partition/pipeline/inputs/ogb_hetero_reader.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/io/buffer.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/csv_table.h"
#include "partition/pipeline/inputs/node_type_table.h"
#include "partition/pipeline/inputs/ogb_files.h"
#include "partition/pipeline/inputs/relation_list.h"
#include "partition/schema/schema_check.h"

namespace tributary {
namespace {

using Rows = std::shared_ptr<const RowSource>;
using Flags = std::optional<std::vector<bool>>;

// Checks that a table of True and False agrees with the files.
absl::Status CheckFlag(const Flags& flags, int type, bool found,
                       const std::string& table, const std::string& what) {
  if (!flags.has_value() || (*flags)[type] == found) return absl::OkStatus();
  return absl::InvalidArgumentError(
      found ? absl::StrCat(what, " is there, but ", table,
                           " says that there is none; make them agree")
            : absl::StrCat(what, " is not there, but ", table,
                           " says that it is; make them agree"));
}

// Checks that the nodes fit into memory. The other files cannot confirm the
// number of nodes, since all may be isolated, so the memory that they take at
// least is compared with the machine's: a placement, and an indptr for each
// relation that ends there.
absl::Status CheckMemory(const std::vector<NodeContent>& types,
                         const std::vector<Relation>& relations,
                         bool add_reverse) {
  std::vector<double> bytes_per_node(types.size(), 2 * sizeof(int64_t));
  for (const Relation& relation : relations) {
    bytes_per_node[relation.dst_type] += sizeof(uint64_t);
    if (add_reverse) bytes_per_node[relation.src_type] += sizeof(uint64_t);
  }
  double bytes = 0;
  for (size_t t = 0; t < types.size(); ++t) {
    bytes += static_cast<double>(types[t].num_nodes) * bytes_per_node[t];
  }
  const uint64_t memory = PhysicalMemoryBytes();
  if (bytes <= static_cast<double>(memory)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "num-node-dict says more nodes than memory holds: they take at least ",
      bytes, " bytes; allowed: this machine's ", memory));
}

class HeteroReader {
 public:
  explicit HeteroReader(const InputOptions& options)
      : options_(options), raw_(options.folder + "/raw/") {}

  absl::StatusOr<Input> Read() && {
    input_.content.heterogeneous = true;
    ASSIGN_OR_RETURN(types(), ReadNodeTypes(raw_ + "num-node-dict"));
    ASSIGN_OR_RETURN(relations_,
                     ReadRelationList(raw_ + "triplet-type-list", types(),
                                      options_.add_reverse));
    RETURN_IF_ERROR(CheckMemory(types(), relations_, options_.add_reverse));
    RETURN_IF_ERROR(
        ReadNodeRows("node-feat", "feat", ReadFloatTable, &NodeContent::x));
    RETURN_IF_ERROR(
        ReadNodeRows("node-label", "label", ReadLabelTable, &NodeContent::y));
    RETURN_IF_ERROR(ReadNodeTimes());
    RETURN_IF_ERROR(ReadSplits());
    RETURN_IF_ERROR(ReadRelations());
    return std::move(input_);
  }

 private:
  std::vector<NodeContent>& types() { return input_.content.node_types; }

  // Reads a column of all node types that have it: raw/<files>/<type>/<files>.
  absl::Status ReadNodeRows(const std::string& files, const std::string& table,
                            TableReader read, Rows NodeContent::*column) {
    const std::string flags_at = raw_ + "nodetype-has-" + table;
    ASSIGN_OR_RETURN(const Flags flags, ReadTypeFlags(flags_at, types()));
    RETURN_IF_ERROR(NoteUnknownFolders(raw_ + files));
    for (size_t t = 0; t < types().size(); ++t) {
      NodeContent& type = types()[t];
      const std::string stem =
          absl::StrCat(raw_, files, "/", type.name, "/", files);
      ASSIGN_OR_RETURN(type.*column, ReadOptional(stem, type.num_nodes, read));
      RETURN_IF_ERROR(CheckFlag(flags, static_cast<int>(t),
                                type.*column != nullptr, flags_at, stem));
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
    for (NodeContent& type : types()) {
      const std::string stem =
          absl::StrCat(folder, "/", type.name, "/", *file.name);
      ASSIGN_OR_RETURN(type.time,
                       ReadOptional(stem, type.num_nodes, file.read));
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
  absl::StatusOr<Rows> ReadEdgeFile(const NamedFile& file,
                                    const std::string& folder, int64_t count,
                                    bool& found) {
    if (!file.name.has_value()) return Rows();
    ASSIGN_OR_RETURN(Rows rows,
                     ReadOptional(folder + *file.name, count, file.read));
    found = found || rows != nullptr;
    return rows;
  }

  // Reads those of the requested masks that the relation has.
  absl::StatusOr<std::map<std::string, Rows>> ReadMasks(
      const std::string& folder, int64_t count) {
    std::map<std::string, Rows> masks;
    for (const NamedFile& file : EdgeMaskFiles(options_)) {
      bool found = false;
      ASSIGN_OR_RETURN(Rows rows, ReadEdgeFile(file, folder, count, found));
      if (!found) continue;
      found_masks_.insert(*file.name);
      masks[*file.name] = std::move(rows);
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

  // Reads split/<scheme>/<head>___<relation>___<tail> of all schemes.
  absl::StatusOr<std::vector<EdgeSplitInput>> ReadSplitsOf(
      const Relation& relation, int64_t num_edges) {
    const EdgeSplitLimits limits{NodesOf(relation.src_type),
                                 NodesOf(relation.dst_type), num_edges};
    std::vector<EdgeSplitInput> all;
    for (const std::string& scheme : schemes_) {
      const std::string folder = absl::StrCat(options_.folder, "/split/",
                                              scheme, "/", relation.folder());
      ASSIGN_OR_RETURN(auto splits, ReadEdgeSplitFiles(folder, scheme, limits,
                                                       /*rows=*/true));
      absl::c_move(splits, std::back_inserter(all));
    }
    return all;
  }

  void Note(const std::string& path, const char* what) {
    input_.notes.push_back(
        absl::StrCat(path, " is of no ", what, " and left out"));
  }

  absl::Status ReadSplits() {
    const std::string root = options_.folder + "/split";
    ASSIGN_OR_RETURN(schemes_, ListSchemes(root, options_));
    for (const std::string& scheme : schemes_) {
      RETURN_IF_ERROR(CheckTypeName(scheme));
      if (IsEdgeScheme(options_, scheme)) continue;
      RETURN_IF_ERROR(ReadScheme(absl::StrCat(root, "/", scheme), scheme));
    }
    return absl::OkStatus();
  }

  absl::Status ReadScheme(const std::string& folder,
                          const std::string& scheme) {
    const std::string flags_at = folder + "/nodetype-has-split";
    ASSIGN_OR_RETURN(const Flags flags, ReadTypeFlags(flags_at, types()));
    RETURN_IF_ERROR(NoteUnknownFolders(folder, /*relations=*/true));
    for (const char* name : {"test", "train", "valid"}) {
      ASSIGN_OR_RETURN(const std::string path, FindCsv(folder + "/" + name));
      if (!path.empty()) Note(path, "node type");
    }
    for (size_t t = 0; t < types().size(); ++t) {
      const std::string files = folder + "/" + types()[t].name;
      std::vector<std::string> others;
      ASSIGN_OR_RETURN(auto splits,
                       ReadSplitFiles(files, scheme, types()[t], others));
      for (const std::string& path : others) {
        input_.notes.push_back(
            path +
            " has more than one column and is left out: splits of edges "
            "lie in a folder of their relation's name");
      }
      RETURN_IF_ERROR(CheckFlag(flags, static_cast<int>(t), !splits.empty(),
                                flags_at, files + "/{train,valid,test}"));
      absl::c_move(splits, std::back_inserter(input_.content.splits));
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
    auto& edges = input_.content.edge_types;
    std::sort(edges.begin(), edges.end(),
              [](const EdgeContent& a, const EdgeContent& b) {
                return std::tie(a.src, a.rel, a.dst) <
                       std::tie(b.src, b.rel, b.dst);
              });
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
    const std::string at = raw_ + "relations/" + relation.folder() + "/";
    ASSIGN_OR_RETURN(const int64_t count, ReadCount(at + "num-edge-list"));
    EdgeColumns columns;
    ASSIGN_OR_RETURN(columns.attr,
                     ReadOptional(at + "edge-feat", count, ReadFloatTable));
    ASSIGN_OR_RETURN(columns.weight, ReadEdgeFile(EdgeWeightFile(options_), at,
                                                  count, found_weights_));
    ASSIGN_OR_RETURN(columns.time, ReadEdgeFile(EdgeTimeFile(options_), at,
                                                count, found_times_));
    ASSIGN_OR_RETURN(columns.masks, ReadMasks(at, count));
    ASSIGN_OR_RETURN(const std::string path, RequireCsv(at + "edge"));
    ASSIGN_OR_RETURN(EdgeRows rows,
                     ReadEdgeTable(path, count, NodesOf(relation.src_type),
                                   NodesOf(relation.dst_type)));
    if (options_.add_reverse) {
      RETURN_IF_ERROR(
          AddEdges(relation.Reverse(), {rows.dst, rows.src}, columns));
    }
    ASSIGN_OR_RETURN(auto splits, ReadSplitsOf(relation, count));
    FillEndsFromRows(rows, absl::MakeSpan(splits));
    RETURN_IF_ERROR(AddEdges(relation, std::move(rows), columns));
    AddEdgeSplits(splits, input_.content.edge_types.back(), input_.content);
    return absl::OkStatus();
  }

  // Columns by row of the relation's edge file.
  struct EdgeColumns {
    Rows attr, weight, time;
    std::map<std::string, Rows> masks;
  };

  // Adds an edge type. Edge ids, and thus rows of columns, are positions in
  // `rows`.
  absl::Status AddEdges(const Relation& relation, EdgeRows rows,
                        const EdgeColumns& columns) {
    EdgeContent edges;
    edges.src = relation.src;
    edges.rel = relation.rel;
    edges.dst = relation.dst;
    edges.src_type = relation.src_type;
    edges.dst_type = relation.dst_type;
    edges.reverse = relation.reverse;
    edges.edge_attr = columns.attr;
    edges.weight = columns.weight;
    edges.time = columns.time;
    edges.masks = columns.masks;
    ASSIGN_OR_RETURN(
        edges.in_edges,
        Adjacency::FromRows(std::move(rows), NodesOf(relation.src_type),
                            NodesOf(relation.dst_type),
                            {.add_reverse = false, .dedupe = options_.dedupe}));
    input_.content.edge_types.push_back(std::move(edges));
    return absl::OkStatus();
  }

  int64_t NodesOf(int type) const {
    return input_.content.node_types[type].num_nodes;
  }

  const InputOptions& options_;
  const std::string raw_;
  std::vector<Relation> relations_;
  std::vector<std::string> schemes_;
  bool found_weights_ = false;
  bool found_times_ = false;
  std::set<std::string> found_masks_;
  Input input_;
};

}  // namespace

absl::StatusOr<Input> ReadOgbHetero(const InputOptions& options) {
  return HeteroReader(options).Read();
}

}  // namespace tributary
