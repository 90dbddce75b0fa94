#include "partition/pipeline/inputs/ogb/ogb_hetero_binary_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/ogb/binary/array_columns.h"
#include "partition/pipeline/inputs/ogb/binary/npz_arrays.h"
#include "partition/pipeline/inputs/ogb/node_type_table.h"
#include "partition/pipeline/inputs/ogb/ogb_files.h"
#include "partition/pipeline/inputs/ogb/relation_list.h"
#include "partition/pipeline/inputs/ogb/typed_graph.h"
#include "partition/schema/schema_check.h"

namespace tributary {
namespace {

// One of the functions of array_columns.h.
using OpenColumn = absl::StatusOr<ColumnPtr> (*)(const FileArray& array,
                                                 int64_t rows,
                                                 const std::string& what);
// The arrays of a file that need not exist.
using OptionalArrays = std::optional<NpzArrays>;

std::string What(const NpzArrays& arrays, const std::string& name) {
  return absl::StrCat(name, " of ", arrays.path());
}

absl::StatusOr<int64_t> ReadCount(const NpzArrays& arrays,
                                  const std::string& name) {
  ASSIGN_OR_RETURN(const FileArray array, arrays.Find(name));
  return ReadCountArray(array, What(arrays, name));
}

// Opens an array; returns null if there is none.
absl::StatusOr<ColumnPtr> OpenOptional(const OptionalArrays& arrays,
                                       const std::string& name, int64_t rows,
                                       OpenColumn open) {
  if (!arrays.has_value() || !arrays->Has(name)) return ColumnPtr();
  ASSIGN_OR_RETURN(const FileArray array, arrays->Find(name));
  return open(array, rows, What(*arrays, name));
}

class HeteroBinaryReader {
 public:
  HeteroBinaryReader(const InputOptions& options, const Spool& spool)
      : options_(options),
        spool_(spool),
        raw_(options.folder + "/raw/"),
        graph_(options) {}

  absl::StatusOr<GraphSource> Read() && {
    RETURN_IF_ERROR(ExpectArrays());
    RETURN_IF_ERROR(ReadNodes());
    RETURN_IF_ERROR(graph_.ReadNodeSplits(
        [](const std::string&) { return absl::OkStatus(); }));
    RETURN_IF_ERROR(ReadRelations());
    return std::move(graph_).Finish();
  }

 private:
  absl::StatusOr<NpzArrays> Open(const std::string& name) const {
    return NpzArrays::Open(absl::StrCat(raw_, name, ".npz"), spool_);
  }
  absl::StatusOr<OptionalArrays> OpenIfThere(const std::string& name) const {
    ASSIGN_OR_RETURN(const bool there, IsThere(raw_ + name + ".npz"));
    if (!there) return OptionalArrays();
    ASSIGN_OR_RETURN(NpzArrays arrays, Open(name));
    return OptionalArrays(std::move(arrays));
  }
  // Opens the file that the user names.
  absl::StatusOr<OptionalArrays> OpenNamed(const NamedFile& file) const {
    if (!file.name.has_value()) return OptionalArrays();
    for (const std::string& name : {*file.name + "_dict", *file.name}) {
      ASSIGN_OR_RETURN(OptionalArrays arrays, OpenIfThere(name));
      if (arrays.has_value()) return arrays;
    }
    return absl::NotFoundError(absl::StrCat(raw_, *file.name, "_dict.npz (or ",
                                            *file.name, ".npz), which ",
                                            file.flag, " names, is not there"));
  }

  // Announces all compressed arrays before the first is inflated.
  absl::Status ExpectArrays() const {
    std::vector<std::string> files = {"num_nodes_dict", "node_feat_dict",
                                      "node-label",     "edge_index_dict",
                                      "num_edges_dict", "edge_feat_dict"};
    for (const NamedFile& file : NamedFiles(options_)) {
      files.push_back(*file.name + "_dict");
      files.push_back(*file.name);
    }
    std::vector<ParsedPart> parts;
    for (const std::string& file : files) {
      const auto arrays = OpenIfThere(file);
      if (!arrays.ok() || !arrays->has_value()) continue;
      absl::c_move((*arrays)->Parts((*arrays)->names()),
                   std::back_inserter(parts));
    }
    return spool_.Expect(parts);
  }

  absl::Status ReadNodes() {
    ASSIGN_OR_RETURN(const NpzArrays counts, Open("num_nodes_dict"));
    ASSIGN_OR_RETURN(const auto features, OpenIfThere("node_feat_dict"));
    ASSIGN_OR_RETURN(const auto labels, OpenIfThere("node-label"));
    ASSIGN_OR_RETURN(const auto times, OpenNamed(NodeTimeFile(options_)));
    std::vector<std::string> names = counts.names();
    absl::c_sort(names);
    for (const std::string& name : names) {
      // Splits are in folders of the types' names.
      const absl::Status allowed = CheckFileName(name);
      if (!allowed.ok()) return NameError(counts, name, allowed.message());
      NodeSource nodes{.name = name};
      ASSIGN_OR_RETURN(nodes.num_nodes, ReadCount(counts, name));
      const int64_t n = nodes.num_nodes;
      ASSIGN_OR_RETURN(nodes.x,
                       OpenOptional(features, name, n, OpenFeatureArray));
      ASSIGN_OR_RETURN(nodes.y, OpenOptional(labels, name, n, OpenLabelArray));
      ASSIGN_OR_RETURN(nodes.time, OpenOptional(times, name, n, OpenTimeArray));
      graph_.types().push_back(std::move(nodes));
    }
    for (const auto& arrays : {features, labels, times}) {
      if (arrays.has_value()) NoteOthers(*arrays, names);
    }
    return absl::OkStatus();
  }

  static absl::Status NameError(const NpzArrays& arrays,
                                const std::string& name,
                                absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat(What(arrays, name), ": ", what));
  }

  void NoteOthers(const NpzArrays& arrays,
                  const std::vector<std::string>& names) {
    for (const std::string& name : arrays.names()) {
      if (absl::c_linear_search(names, name)) continue;
      graph_.Note(What(arrays, name) +
                  " is of no type of the graph and left out");
    }
  }

  absl::StatusOr<Relation> ParseRelation(const NpzArrays& arrays,
                                         const std::string& name) const {
    const std::vector<std::string> parts = absl::StrSplit(name, "___");
    if (parts.size() != 3) {
      return NameError(arrays, name, "allowed: head___relation___tail");
    }
    Relation relation{parts[0], parts[1], parts[2]};
    relation.src_type = FindType(graph_.types(), parts[0]);
    relation.dst_type = FindType(graph_.types(), parts[2]);
    if (relation.src_type < 0 || relation.dst_type < 0) {
      return NameError(arrays, name,
                       absl::StrCat("a relation of an unknown type; allowed: ",
                                    TypeNames(graph_.types())));
    }
    const absl::Status allowed = CheckTypeName(parts[1]);
    if (!allowed.ok()) return NameError(arrays, name, allowed.message());
    return relation;
  }

  absl::Status ReadRelations() {
    ASSIGN_OR_RETURN(const NpzArrays index, Open("edge_index_dict"));
    ASSIGN_OR_RETURN(const NpzArrays counts, Open("num_edges_dict"));
    ASSIGN_OR_RETURN(const auto features, OpenIfThere("edge_feat_dict"));
    ASSIGN_OR_RETURN(const auto weights, OpenNamed(EdgeWeightFile(options_)));
    ASSIGN_OR_RETURN(const auto times, OpenNamed(EdgeTimeFile(options_)));
    std::map<std::string, OptionalArrays> masks;
    for (const NamedFile& file : EdgeMaskFiles(options_)) {
      ASSIGN_OR_RETURN(masks[*file.name], OpenNamed(file));
    }
    for (const std::string& name : index.names()) {
      ASSIGN_OR_RETURN(const Relation relation, ParseRelation(index, name));
      ASSIGN_OR_RETURN(const int64_t count, ReadCount(counts, name));
      EdgeSource edges{.dedupe = options_.dedupe};
      ASSIGN_OR_RETURN(const FileArray array, index.Find(name));
      ASSIGN_OR_RETURN(EndColumnPair ends,
                       OpenEdgeIndex(array, count, What(index, name)));
      edges.from = std::move(ends.from);
      edges.to = std::move(ends.to);
      ASSIGN_OR_RETURN(edges.edge_attr,
                       OpenOptional(features, name, count, OpenFeatureArray));
      ASSIGN_OR_RETURN(edges.weight,
                       OpenOptional(weights, name, count, OpenWeightArray));
      ASSIGN_OR_RETURN(edges.time,
                       OpenOptional(times, name, count, OpenTimeArray));
      for (const auto& [mask, arrays] : masks) {
        ASSIGN_OR_RETURN(ColumnPtr column,
                         OpenOptional(arrays, name, count, OpenMaskArray));
        if (column != nullptr) edges.masks[mask] = std::move(column);
      }
      RETURN_IF_ERROR(CheckIsNew(index, relation));
      if (options_.add_reverse) {
        RETURN_IF_ERROR(CheckIsNew(index, relation.Reverse()));
      }
      RETURN_IF_ERROR(graph_.AddRelation(relation, count, std::move(edges)));
    }
    for (const auto& arrays : {features, weights, times}) {
      if (arrays.has_value()) NoteOthers(*arrays, index.names());
    }
    return absl::OkStatus();
  }

  // Names of files and tensors join the parts of a relation's.
  absl::Status CheckIsNew(const NpzArrays& index, const Relation& relation) {
    const std::string joined =
        absl::StrCat(relation.src, "__", relation.rel, "__", relation.dst);
    const auto [at, fresh] = taken_.emplace(joined, relation.name());
    if (fresh) return absl::OkStatus();
    return NameError(
        index, relation.folder(),
        absl::StrCat("it and ", at->second, " would both be called ", joined,
                     "; rename one",
                     options_.add_reverse ? ", or no --add-reverse" : ""));
  }

  const InputOptions& options_;
  const Spool& spool_;
  const std::string raw_;
  std::map<std::string, std::string> taken_;  // joined name -> edge type
  TypedGraph graph_;
};

}  // namespace

absl::StatusOr<GraphSource> ReadOgbHeteroBinary(const InputOptions& options,
                                                const Spool& spool) {
  return HeteroBinaryReader(options, spool).Read();
}

}  // namespace tributary
