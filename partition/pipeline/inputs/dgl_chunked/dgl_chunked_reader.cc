#include "partition/pipeline/inputs/dgl_chunked/dgl_chunked_reader.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "common/io/file_mapping.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/arrays/placed_column.h"
#include "partition/pipeline/inputs/dgl_chunked/chunk_reader.h"
#include "partition/pipeline/inputs/dgl_chunked/dgl_metadata.h"
#include "partition/schema/schema_check.h"
#include "partition/source/reverse_types.h"

namespace tributary {
namespace {

constexpr size_t kMaxMetadataBytes = size_t{256} << 20;
constexpr int64_t kMaskBlock = int64_t{1} << 16;

using Arrays = std::map<std::string, ChunkFiles>;

// What an array may be used for.
struct Use {
  const char* flag;
  std::vector<std::string> wanted;  // by the flag
  std::vector<std::string> usual;   // names without a flag, the first counts
  CellKind kind;
};

std::vector<std::string> ListOf(const std::optional<std::string>& name) {
  return name.has_value() ? std::vector<std::string>{*name}
                          : std::vector<std::string>{};
}

// Returns the split that a mask's name means; null if it is no mask of one.
const char* SplitOf(const std::string& array) {
  if (array == "train_mask") return "train";
  if (array == "val_mask" || array == "valid_mask") return "valid";
  if (array == "test_mask") return "test";
  return nullptr;
}

// The arrays of one type, of which some have a use.
class TypeArrays {
 public:
  // `name` is the type's in metadata.json, `spool_name` begins the names of its
  // columns in the spool.
  TypeArrays(const Arrays& arrays, const ChunkCounts& counts,
             std::string spool_name, const ChunkReader& reader)
      : arrays_(arrays),
        counts_(counts),
        spool_name_(std::move(spool_name)),
        reader_(reader) {}

  // Opens the array that has this use; null if there is none.
  absl::StatusOr<ColumnPtr> Open(const Use& use, const char* column) {
    const auto at = Find(use);
    if (at == arrays_.end()) return nullptr;
    used_.insert(at->first);
    return reader_.Values(at->second, counts_, use.kind,
                          absl::StrCat(spool_name_, "-", column));
  }

  // Appends what Open with the same arguments parses.
  void AppendParts(const Use& use, const char* column,
                   std::vector<ParsedPart>& parts) const {
    const auto at = Find(use);
    if (at == arrays_.end()) return;
    absl::c_move(reader_.ValueParts(at->second, counts_, use.kind,
                                    absl::StrCat(spool_name_, "-", column)),
                 std::back_inserter(parts));
  }

  // Appends the splits that masks name.
  absl::Status ReadSplits(const std::string& type, bool of_edges,
                          std::vector<SplitSource>& splits) {
    std::set<std::string> found;
    for (const auto& [name, files] : arrays_) {
      const char* split = SplitOf(name);
      if (split == nullptr) continue;
      used_.insert(name);
      if (!found.insert(split).second) {
        return absl::InvalidArgumentError(absl::StrCat(
            files.where, " and another array are masks of ", split));
      }
      ASSIGN_OR_RETURN(const ColumnPtr mask,
                       reader_.Values(files, counts_, CellKind::kMask,
                                      absl::StrCat(spool_name_, "-", split)));
      SplitSource source{.type = type, .name = split};
      RETURN_IF_ERROR(ListSet(*mask, of_edges ? source.rows : source.nodes));
      splits.push_back(std::move(source));
    }
    return absl::OkStatus();
  }

  // Appends a note for each array without a use.
  void NoteOthers(std::vector<std::string>& notes) const {
    for (const auto& [name, files] : arrays_) {
      if (used_.contains(name)) continue;
      notes.push_back(absl::StrCat(files.where, " is left out"));
    }
  }

 private:
  Arrays::const_iterator Find(const Use& use) const {
    const auto& names = use.wanted.empty() ? use.usual : use.wanted;
    for (const std::string& name : names) {
      const auto at = arrays_.find(name);
      if (at != arrays_.end()) return at;
    }
    return arrays_.end();
  }

  static absl::Status ListSet(const Column& mask, std::vector<int64_t>& rows) {
    for (int64_t at = 0; at < mask.num_rows(); at += kMaskBlock) {
      const int64_t count = std::min(kMaskBlock, mask.num_rows() - at);
      ASSIGN_OR_RETURN(const auto flags, ReadValues<uint8_t>(mask, at, count));
      for (int64_t i = 0; i < count; ++i) {
        if (flags[static_cast<size_t>(i)] != 0) rows.push_back(at + i);
      }
    }
    return absl::OkStatus();
  }

  const Arrays& arrays_;
  const ChunkCounts& counts_;
  const std::string spool_name_;
  const ChunkReader& reader_;
  std::set<std::string> used_;
};

// The arrays of all node types, or of all edge types.
template <typename Type>
std::set<std::string> NamesOf(const std::vector<Type>& types) {
  std::set<std::string> names;
  for (const Type& type : types) {
    for (const auto& array : type.data) names.insert(array.first);
  }
  return names;
}

std::string MetadataPath(const std::string& folder) {
  return absl::StrCat(folder, "/metadata.json");
}

// Checks that each name of a flag is that of an array of some type.
absl::Status CheckWanted(const Use& use, const std::set<std::string>& names,
                         size_t most, const std::string& path) {
  if (use.wanted.size() > most) {
    return absl::InvalidArgumentError(
        absl::StrCat(use.flag, " has ", use.wanted.size(),
                     " names; allowed with --format dgl-chunked: ", most));
  }
  for (const std::string& name : use.wanted) {
    if (names.contains(name)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        use.flag, " ", name, ": ", path, " has no such array; allowed: ",
        names.empty() ? "none, there are no arrays"
                      : absl::StrJoin(names, ", ")));
  }
  return absl::OkStatus();
}

class DglReader {
 public:
  DglReader(const InputOptions& options, DglMetadata metadata,
            const Spool& spool)
      : options_(options),
        path_(MetadataPath(options.folder)),
        metadata_(std::move(metadata)),
        spool_(spool),
        reader_(options.folder, spool),
        x_{"--features",
           options.layout.features,
           {"feat", "features", "x"},
           CellKind::kFloats},
        y_{"--labels",
           options.layout.labels,
           {"label", "labels", "y"},
           CellKind::kLabels},
        node_time_{"--node-time",
                   ListOf(options.node_time),
                   {"time"},
                   CellKind::kTime},
        attr_{"--edge-features",
              options.layout.edge_features,
              {"feat", "features", "x"},
              CellKind::kFloats},
        weight_{"--edge-weight",
                ListOf(options.edge_weight),
                {"weight"},
                CellKind::kWeight},
        edge_time_{"--edge-time",
                   ListOf(options.edge_time),
                   {"time"},
                   CellKind::kTime},
        masks_{"--edge-masks", options.edge_masks, {}, CellKind::kMask} {}

  absl::StatusOr<GraphSource> Read() && {
    RETURN_IF_ERROR(CheckOptions());
    graph_.name = metadata_.graph_name;
    graph_.heterogeneous = !IsHomogeneous();
    for (const std::string& key : metadata_.other_keys) {
      graph_.notes.push_back(
          absl::StrCat(path_, ": the key ", key, " is left out"));
    }
    RETURN_IF_ERROR(ExpectArrays());
    RETURN_IF_ERROR(ReadNodeTypes());
    RETURN_IF_ERROR(ReadEdgeTypes());
    absl::c_sort(graph_.splits, [](const SplitSource& a, const SplitSource& b) {
      return std::tie(a.type, a.name) < std::tie(b.type, b.name);
    });
    if (options_.add_reverse && graph_.heterogeneous) {
      RETURN_IF_ERROR(AddReverseTypes(path_, graph_));
    }
    return std::move(graph_);
  }

 private:
  absl::Status CheckOptions() const {
    if (!options_.edge_splits.empty()) {
      return absl::InvalidArgumentError(
          "--edge-splits is for --format ogb; masks of edges, as train_mask, "
          "are splits");
    }
    const auto of_nodes = NamesOf(metadata_.node_types);
    for (const Use* use : {&x_, &y_, &node_time_}) {
      RETURN_IF_ERROR(CheckWanted(*use, of_nodes, 1, path_));
    }
    const auto of_edges = NamesOf(metadata_.edge_types);
    for (const Use* use : {&attr_, &weight_, &edge_time_}) {
      RETURN_IF_ERROR(CheckWanted(*use, of_edges, 1, path_));
    }
    RETURN_IF_ERROR(CheckMaskNames(options_.edge_masks));
    return CheckWanted(masks_, of_edges, kMaxEdgeMasks, path_);
  }

  absl::Status CheckType(const std::string& name) const {
    const absl::Status allowed = CheckTypeName(name);
    if (allowed.ok()) return allowed;
    return absl::InvalidArgumentError(
        absl::StrCat(path_, ": ", allowed.message()));
  }

  // Announces all text and Parquet before the first file is parsed, but for
  // masks of splits, of a byte a row.
  absl::Status ExpectArrays() const {
    std::vector<ParsedPart> parts;
    for (size_t t = 0; t < metadata_.node_types.size(); ++t) {
      const DglNodeType& type = metadata_.node_types[t];
      const TypeArrays arrays(type.data, type.nodes, NodeSpoolName(t), reader_);
      arrays.AppendParts(x_, "x", parts);
      arrays.AppendParts(y_, "y", parts);
      arrays.AppendParts(node_time_, "time", parts);
    }
    for (size_t t = 0; t < metadata_.edge_types.size(); ++t) {
      const DglEdgeType& type = metadata_.edge_types[t];
      absl::c_move(reader_.EndParts(type.ends, type.edges, EdgeSpoolName(t)),
                   std::back_inserter(parts));
      const TypeArrays arrays(type.data, type.edges, EdgeSpoolName(t), reader_);
      arrays.AppendParts(attr_, "attr", parts);
      arrays.AppendParts(weight_, "weight", parts);
      arrays.AppendParts(edge_time_, "time", parts);
    }
    return spool_.Expect(parts);
  }

  static std::string NodeSpoolName(size_t t) {
    return absl::StrCat("dgl-n", t);
  }
  static std::string EdgeSpoolName(size_t t) {
    return absl::StrCat("dgl-e", t);
  }

  bool IsHomogeneous() const {
    if (metadata_.node_types.size() != 1 || metadata_.edge_types.size() != 1) {
      return false;
    }
    const std::string edges = metadata_.edge_types[0].name();
    return edges == "_N:_E:_N" || edges == "node:to:node";
  }

  absl::Status ReadNodeTypes() {
    // By name, as the graph has them.
    std::map<std::string, size_t> order;
    for (size_t t = 0; t < metadata_.node_types.size(); ++t) {
      order[graph_.heterogeneous ? metadata_.node_types[t].name : "node"] = t;
    }
    for (const auto& [name, t] : order) {
      RETURN_IF_ERROR(CheckType(name));
      RETURN_IF_ERROR(ReadNodes(name, t));
    }
    return absl::OkStatus();
  }

  absl::Status ReadNodes(const std::string& name, size_t t) {
    const DglNodeType& type = metadata_.node_types[t];
    TypeArrays arrays(type.data, type.nodes, NodeSpoolName(t), reader_);
    NodeSource nodes{.name = name, .num_nodes = type.nodes.total};
    ASSIGN_OR_RETURN(nodes.x, arrays.Open(x_, "x"));
    ASSIGN_OR_RETURN(nodes.y, arrays.Open(y_, "y"));
    ASSIGN_OR_RETURN(nodes.time, arrays.Open(node_time_, "time"));
    RETURN_IF_ERROR(arrays.ReadSplits(name, false, graph_.splits));
    arrays.NoteOthers(graph_.notes);
    graph_.node_types.push_back(std::move(nodes));
    return absl::OkStatus();
  }

  int TypeIndex(const std::string& name) const {
    for (size_t t = 0; t < graph_.node_types.size(); ++t) {
      if (graph_.node_types[t].name == name) return static_cast<int>(t);
    }
    return -1;
  }

  absl::Status ReadEdgeTypes() {
    for (size_t t = 0; t < metadata_.edge_types.size(); ++t) {
      RETURN_IF_ERROR(ReadEdges(t));
    }
    absl::c_sort(
        graph_.edge_types, [](const EdgeSource& a, const EdgeSource& b) {
          return std::tie(a.src, a.rel, a.dst) < std::tie(b.src, b.rel, b.dst);
        });
    return absl::OkStatus();
  }

  absl::Status ReadEdges(size_t t) {
    const DglEdgeType& type = metadata_.edge_types[t];
    const std::string spool_name = EdgeSpoolName(t);
    TypeArrays arrays(type.data, type.edges, spool_name, reader_);
    EdgeSource edges{.src = "node", .rel = "to", .dst = "node"};
    if (graph_.heterogeneous) {
      RETURN_IF_ERROR(CheckType(type.rel));
      edges.src = type.src;
      edges.rel = type.rel;
      edges.dst = type.dst;
      edges.src_type = TypeIndex(type.src);
      edges.dst_type = TypeIndex(type.dst);
    }
    edges.add_reverse = options_.add_reverse && !graph_.heterogeneous;
    edges.dedupe = options_.dedupe;
    ASSIGN_OR_RETURN(ChunkEnds ends,
                     reader_.Ends(type.ends, type.edges, spool_name));
    edges.from = std::move(ends.from);
    edges.to = std::move(ends.to);
    ASSIGN_OR_RETURN(edges.edge_attr, arrays.Open(attr_, "attr"));
    ASSIGN_OR_RETURN(edges.weight, arrays.Open(weight_, "weight"));
    ASSIGN_OR_RETURN(edges.time, arrays.Open(edge_time_, "time"));
    for (size_t m = 0; m < options_.edge_masks.size(); ++m) {
      const std::string& name = options_.edge_masks[m];
      const Use use{masks_.flag, {name}, {}, CellKind::kMask};
      ASSIGN_OR_RETURN(ColumnPtr mask,
                       arrays.Open(use, absl::StrCat("mask", m).c_str()));
      if (mask != nullptr) edges.masks[name] = std::move(mask);
    }
    RETURN_IF_ERROR(arrays.ReadSplits(edges.name(), true, graph_.splits));
    arrays.NoteOthers(graph_.notes);
    graph_.edge_types.push_back(std::move(edges));
    return absl::OkStatus();
  }

  const InputOptions& options_;
  const std::string path_;  // of metadata.json
  const DglMetadata metadata_;
  const Spool& spool_;
  const ChunkReader reader_;
  const Use x_, y_, node_time_, attr_, weight_, edge_time_, masks_;
  GraphSource graph_;
};

absl::StatusOr<DglMetadata> ReadMetadata(const std::string& folder) {
  const std::string path = MetadataPath(folder);
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxMetadataBytes));
  return ParseDglMetadata(text, path);
}

// Appends the files of a type's arrays.
template <typename Type>
void AppendPaths(const ChunkReader& reader, const Type& type,
                 std::vector<std::string>& paths) {
  for (const auto& array : type.data) {
    for (std::string& path : reader.Paths(array.second)) {
      paths.push_back(std::move(path));
    }
  }
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ListDglChunks(
    const std::string& folder) {
  ASSIGN_OR_RETURN(const DglMetadata metadata, ReadMetadata(folder));
  const Spool none(folder);  // nothing is parsed
  const ChunkReader reader(folder, none);
  std::vector<std::string> paths;
  for (const DglNodeType& type : metadata.node_types) {
    AppendPaths(reader, type, paths);
  }
  for (const DglEdgeType& type : metadata.edge_types) {
    absl::c_move(reader.Paths(type.ends), std::back_inserter(paths));
    AppendPaths(reader, type, paths);
  }
  return paths;
}

absl::StatusOr<GraphSource> ReadDglChunked(const InputOptions& options,
                                           const Spool& spool) {
  ASSIGN_OR_RETURN(DglMetadata metadata, ReadMetadata(options.folder));
  return DglReader(options, std::move(metadata), spool).Read();
}

}  // namespace tributary
