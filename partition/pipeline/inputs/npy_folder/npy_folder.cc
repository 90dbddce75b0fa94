#include "partition/pipeline/inputs/npy_folder/npy_folder.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/arrays/array_file.h"
#include "partition/pipeline/inputs/arrays/placed_column.h"
#include "partition/pipeline/inputs/layout_source/layout_arrays.h"
#include "partition/pipeline/inputs/layout_source/read_config.h"
#include "partition/pipeline/inputs/text/number_text.h"
#include "partition/schema/schema_check.h"
#include "partition/schema/type_path.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

// Arrays by name, such as "x", "paper/x" or "author,writes,paper/edge_index",
// and where they are.
using Arrays = std::map<std::string, std::string>;

absl::Status ListError(const std::string& path, const std::error_code& error) {
  return absl::UnavailableError(
      absl::StrCat("cannot list ", path, ": ", error.message()));
}

absl::Status AddArray(const std::string& name, const std::string& place,
                      Arrays& arrays) {
  const auto [at, is_new] = arrays.emplace(name, place);
  if (is_new) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the array ", name, " is in ",
                                                 at->second, " and in ", place,
                                                 "; allowed: one of them"));
}

// Returns "author,writes,paper" for "author__writes__paper". The text may be as
// TypePath() writes it, or have the type's characters as they are.
std::string TypeNamed(const std::string& text) {
  const absl::StatusOr<std::string> type = TypeOfPath(text);
  if (type.ok()) return *type;
  const std::vector<std::string> parts = absl::StrSplit(text, "__");
  return parts.size() == 3 ? absl::StrJoin(parts, ",") : text;
}

// Splits "paper/x" into a type, which may hold slashes, and an array. Names of
// arrays without a type have no slash.
std::pair<std::string, std::string> SplitArray(const std::string& name) {
  const size_t slash = name.rfind('/');
  if (slash == std::string::npos) return {"", name};
  return {name.substr(0, slash), name.substr(slash + 1)};
}

// Adds the members of an .npz file in the folder `prefix`.
absl::Status AddNpz(const std::string& path, const std::string& prefix,
                    Arrays& arrays) {
  ASSIGN_OR_RETURN(const auto members, ListNpzArrays(path));
  for (const std::string& name : members) {
    const auto [type, array] = SplitArray(name);
    RETURN_IF_ERROR(AddArray(
        type.empty() ? prefix + name
                     : absl::StrCat(prefix, TypeNamed(type), "/", array),
        absl::StrCat(path, ":", name), arrays));
  }
  return absl::OkStatus();
}

absl::Status AddFolder(const std::string& folder, const std::string& prefix,
                       Arrays& arrays) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    paths.push_back(it->path());
  }
  if (error) return ListError(folder, error);
  absl::c_sort(paths);
  for (const fs::path& path : paths) {
    const std::string stem = path.stem(), suffix = path.extension();
    if (suffix == ".npy") {
      RETURN_IF_ERROR(AddArray(prefix + stem, path, arrays));
    } else if (suffix == ".npz") {
      RETURN_IF_ERROR(AddNpz(path, prefix, arrays));
    } else if (prefix.empty() && fs::is_directory(path, error)) {
      const std::string type = TypeNamed(path.filename());
      RETURN_IF_ERROR(AddFolder(path, type + "/", arrays));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Arrays> ListArrays(const std::string& path) {
  Arrays arrays;
  std::error_code error;
  if (!fs::exists(path, error)) {
    return absl::NotFoundError(absl::StrCat(path, " does not exist"));
  }
  if (fs::is_directory(path, error)) {
    RETURN_IF_ERROR(AddFolder(path, "", arrays));
  } else {
    RETURN_IF_ERROR(AddNpz(path, "", arrays));
  }
  return arrays;
}

// The arrays of one type, by name without the type's folder. Remembers which
// are used.
class TypeArrays {
 public:
  TypeArrays(std::string type, Arrays arrays)
      : type_(std::move(type)), arrays_(std::move(arrays)) {}

  // Sets the place to the array that has one of the names, if there is one.
  // INVALID_ARGUMENT if several have.
  absl::Status TakeFirstOf(std::initializer_list<const char*> names,
                           ColumnPlace& to) {
    for (const char* name : names) {
      const auto at = arrays_.find(name);
      if (at == arrays_.end()) continue;
      if (!to.arrays.empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat(to.arrays[0], " and ", at->second,
                         " are one column; allowed: one of them"));
      }
      to.arrays = {at->second};
      used_.insert(name);
    }
    return absl::OkStatus();
  }
  bool Has(const std::string& name) const { return arrays_.contains(name); }
  // Takes train SUFFIX, val SUFFIX and so on, for one of the suffixes.
  absl::Status TakeSplits(std::map<std::string, ColumnPlace>& splits,
                          std::initializer_list<const char*> suffixes) {
    for (const char* name : {"train", "val", "valid", "test", "train_neg",
                             "val_neg", "valid_neg", "test_neg"}) {
      for (const char* suffix : suffixes) {
        const std::string array = absl::StrCat(name, suffix);
        if (!Has(array) || used_.contains(array)) continue;
        std::string split = name;
        if (absl::StartsWith(split, "val") && split[3] != 'i') {
          split.insert(3, "id");
        }
        RETURN_IF_ERROR(TakeFirstOf({array.c_str()}, splits[split]));
      }
    }
    return absl::OkStatus();
  }
  void NoteOthers(std::vector<std::string>& notes) const {
    for (const auto& [name, place] : arrays_) {
      if (used_.contains(name)) continue;
      notes.push_back(absl::StrCat(place, " has no name of an array of ", type_,
                                   " and is left out"));
    }
  }

 private:
  const std::string type_;
  const Arrays arrays_;
  std::set<std::string> used_;
};

absl::Status TakeNodes(TypeArrays& arrays, bool typed, NodeLayout& nodes) {
  RETURN_IF_ERROR(
      arrays.TakeFirstOf({"x", "feat", "node_feat"}, nodes.features));
  RETURN_IF_ERROR(
      arrays.TakeFirstOf({"y", "label", "labels", "node_label"}, nodes.labels));
  RETURN_IF_ERROR(arrays.TakeFirstOf({"node_time", "node_year"}, nodes.time));
  if (typed) RETURN_IF_ERROR(arrays.TakeFirstOf({"time"}, nodes.time));
  RETURN_IF_ERROR(arrays.TakeSplits(nodes.splits, {"_mask", "_idx"}));
  ColumnPlace count;
  RETURN_IF_ERROR(arrays.TakeFirstOf({"num_nodes"}, count));
  if (count.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const ColumnPtr column, OpenIds({}, count));
  if (column->num_rows() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(count.arrays[0], " has ", column->num_rows(),
                     " numbers; allowed: one, the number of nodes"));
  }
  ASSIGN_OR_RETURN(const auto values, ReadValues<int64_t>(*column, 0, 1));
  if (values[0] < 0 || values[0] > kMaxCount) {
    return absl::InvalidArgumentError(
        absl::StrCat(count.arrays[0], " is ", values[0],
                     "; allowed as the number of nodes: 0 to ", kMaxCount));
  }
  nodes.count = values[0];
  return absl::OkStatus();
}

absl::Status TakeEdges(TypeArrays& arrays, bool typed,
                       const std::vector<std::string>& masks,
                       EdgeLayout& edges) {
  RETURN_IF_ERROR(arrays.TakeFirstOf({"edge_index"}, edges.index));
  RETURN_IF_ERROR(arrays.TakeFirstOf({"src", "row"}, edges.from));
  RETURN_IF_ERROR(arrays.TakeFirstOf({"dst", "col"}, edges.to));
  edges.by_source = arrays.Has("csr_indptr");
  RETURN_IF_ERROR(
      arrays.TakeFirstOf({"csc_indptr", "csr_indptr"}, edges.indptr));
  RETURN_IF_ERROR(
      arrays.TakeFirstOf({"csc_indices", "csr_indices"}, edges.indices));
  RETURN_IF_ERROR(
      arrays.TakeFirstOf({"csc_edge_ids", "csr_edge_ids"}, edges.edge_ids));
  RETURN_IF_ERROR(
      arrays.TakeFirstOf({"edge_attr", "edge_feat"}, edges.features));
  RETURN_IF_ERROR(arrays.TakeFirstOf({"edge_weight"}, edges.weight));
  RETURN_IF_ERROR(arrays.TakeFirstOf({"edge_time", "edge_year"}, edges.time));
  if (typed) RETURN_IF_ERROR(arrays.TakeFirstOf({"time"}, edges.time));
  for (const std::string& mask : masks) {
    if (!arrays.Has(mask)) continue;
    RETURN_IF_ERROR(arrays.TakeFirstOf({mask.c_str()}, edges.masks[mask]));
  }
  return arrays.TakeSplits(edges.splits, {"_edge_mask", "_edge_idx", "_edge"});
}

absl::Status CheckEnds(const std::string& path, const EdgeLayout& edges) {
  const int ways = (edges.index.empty() ? 0 : 1) +
                   (edges.from.empty() && edges.to.empty() ? 0 : 1) +
                   (edges.indptr.empty() && edges.indices.empty() ? 0 : 1);
  if (ways == 1 && edges.from.empty() == edges.to.empty() &&
      edges.indptr.empty() == edges.indices.empty()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": the ends of edges of ", edges.name(), " are in ",
      ways == 0  ? "no array"
      : ways > 1 ? "more than one place"
                 : "one array of two",
      "; allowed: edge_index, or src and dst, or csc_indptr and csc_indices, "
      "or csr_indptr and csr_indices"));
}

absl::Status CheckType(const std::string& path, const std::string& name) {
  const absl::Status allowed = CheckTypeName(name);
  if (allowed.ok()) return allowed;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": ", allowed.message()));
}

// Adds what the arrays of one folder are: of a homogeneous graph, a node type
// PAPER or an edge type AUTHOR,WRITES,PAPER.
absl::Status AddType(const std::string& path, const std::string& type,
                     const std::vector<std::string>& masks, TypeArrays& arrays,
                     GraphLayout& layout) {
  const std::vector<std::string> parts = absl::StrSplit(type, ',');
  const bool typed = !type.empty();
  if (!typed || parts.size() == 3) {
    EdgeLayout edges{.src = "node", .rel = "to", .dst = "node"};
    if (typed) edges = {.src = parts[0], .rel = parts[1], .dst = parts[2]};
    for (const std::string* name : {&edges.src, &edges.rel, &edges.dst}) {
      RETURN_IF_ERROR(CheckType(path, *name));
    }
    RETURN_IF_ERROR(TakeEdges(arrays, typed, masks, edges));
    RETURN_IF_ERROR(CheckEnds(path, edges));
    layout.edges.push_back(std::move(edges));
  }
  if (!typed || parts.size() != 3) {
    NodeLayout nodes{.name = typed ? type : "node"};
    RETURN_IF_ERROR(CheckType(path, nodes.name));
    RETURN_IF_ERROR(TakeNodes(arrays, typed, nodes));
    layout.nodes.push_back(std::move(nodes));
  }
  return absl::OkStatus();
}

// Checks that a typed graph has the folder of each node type, if of any: what
// is left out by mistake would be a type of its own.
absl::Status CheckNodeTypes(const std::string& path,
                            const GraphLayout& layout) {
  std::vector<std::string> names;
  for (const NodeLayout& nodes : layout.nodes) names.push_back(nodes.name);
  if (names.empty()) return absl::OkStatus();
  for (const EdgeLayout& edges : layout.edges) {
    for (const std::string* type : {&edges.src, &edges.dst}) {
      if (absl::c_linear_search(names, *type)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          path, "/", edges.src, "__", edges.rel, "__", edges.dst, ": ", *type,
          " is no node type; allowed: those with a folder, ",
          absl::StrJoin(names, ", ")));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckMasksFound(const GraphLayout& layout,
                             const std::vector<std::string>& masks) {
  for (const std::string& mask : masks) {
    if (absl::c_any_of(layout.edges, [&](const EdgeLayout& edges) {
          return edges.masks.contains(mask);
        })) {
      continue;
    }
    return absl::NotFoundError(absl::StrCat("--edge-masks ", mask, ": ",
                                            layout.origin, " has no array ",
                                            mask, " beside those of edges"));
  }
  return absl::OkStatus();
}

absl::Status CheckFlags(const InputOptions& options) {
  std::string given = LayoutFlagsText(options.layout);
  if (!options.layout.node_files.empty()) given += " --nodes";
  if (options.edge_weight.has_value()) given += " --edge-weight";
  if (options.edge_time.has_value()) given += " --edge-time";
  if (options.node_time.has_value()) given += " --node-time";
  if (!options.edge_splits.empty()) given += " --edge-splits";
  if (given.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--format npy with", given,
      "; allowed: the names of arrays that docs/data.md lists (edge_weight, "
      "edge_time, ...), or --config"));
}

}  // namespace

absl::StatusOr<GraphLayout> ScanArrays(const std::string& path,
                                       const std::vector<std::string>& masks) {
  ASSIGN_OR_RETURN(const Arrays all, ListArrays(path));
  std::map<std::string, Arrays> by_type;
  for (const auto& [name, place] : all) {
    const auto [type, array] = SplitArray(name);
    by_type[type][array] = place;
  }
  GraphLayout layout;
  layout.origin = path;
  for (auto& [type, of_type] : by_type) {
    TypeArrays arrays(type.empty() ? "the graph" : type, std::move(of_type));
    // Beside typed folders the top folder has nothing of a graph's own.
    if (!type.empty() || by_type.size() == 1) {
      RETURN_IF_ERROR(AddType(path, type, masks, arrays, layout));
    }
    arrays.NoteOthers(layout.notes);
  }
  if (layout.edges.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path,
        " has no arrays of edges; wanted: edge_index.npy, or for typed "
        "graphs SOURCE__RELATION__DESTINATION/edge_index.npy"));
  }
  RETURN_IF_ERROR(CheckNodeTypes(path, layout));
  RETURN_IF_ERROR(CheckMasksFound(layout, masks));
  layout.Complete();
  return layout;
}

absl::StatusOr<GraphSource> ReadNpyFolder(const InputOptions& options,
                                          const Spool& spool) {
  if (options.layout.config.has_value()) return ReadConfig(options, spool);
  RETURN_IF_ERROR(CheckFlags(options));
  RETURN_IF_ERROR(CheckMaskNames(options.edge_masks));
  ASSIGN_OR_RETURN(const GraphLayout layout,
                   ScanArrays(options.folder, options.edge_masks));
  return ReadLayout(layout, ReadingOf(options, layout), spool);
}

}  // namespace tributary
