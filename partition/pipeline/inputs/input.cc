#include "partition/pipeline/inputs/input.h"

#include <filesystem>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/hash/crc32c.h"
#include "common/io/buffer.h"
#include "common/io/file_mapping.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/dgl_chunked/dgl_chunked_reader.h"
#include "partition/pipeline/inputs/edge_list/edge_list.h"
#include "partition/pipeline/inputs/layout/layout_json.h"
#include "partition/pipeline/inputs/load_content.h"
#include "partition/pipeline/inputs/npy_folder/npy_folder.h"
#include "partition/pipeline/inputs/ogb/ogb_reader.h"
#include "partition/pipeline/inputs/out_edges.h"
#include "partition/source/converted_column.h"
#include "partition/source/temporary_spool.h"

namespace tributary {
namespace {

// What a format takes of options.layout.
enum class LayoutUse { kNone, kNamesOfArrays, kAll };

// A layout of files and its reader.
struct Format {
  const char* name;
  LayoutUse layout;
  absl::StatusOr<GraphSource> (*read)(const InputOptions& options,
                                      const Spool& spool);
};
constexpr Format kFormats[] = {
    {"ogb", LayoutUse::kNone, ReadOgb},
    {"dgl-chunked", LayoutUse::kNamesOfArrays, ReadDglChunked},
    {"edge-list", LayoutUse::kAll, ReadEdgeList},
    {"npy", LayoutUse::kAll, ReadNpyFolder},
};

absl::StatusOr<Format> FindFormat(const std::string& name) {
  for (const Format& format : kFormats) {
    if (name == format.name) return format;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--format \"", absl::CHexEscape(name),
                   "\"; allowed: ", absl::StrJoin(InputFormats(), ", ")));
}

absl::Status CheckLayoutFlags(const Format& format, LayoutFlags flags) {
  if (format.layout == LayoutUse::kAll) return absl::OkStatus();
  if (format.layout == LayoutUse::kNamesOfArrays) {
    flags.features.clear();
    flags.labels.clear();
    flags.edge_features.clear();
  }
  std::string given = LayoutFlagsText(flags);
  if (!flags.node_files.empty()) given += " --nodes";
  std::string allowed = "--format edge-list";
  if (given.empty()) allowed += ", --format npy";  // It takes --config alone.
  if (flags.config.has_value()) given += " --config";
  if (given.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--format ", format.name, " with", given, "; allowed: ", allowed));
}

std::string NameOf(const std::string& folder) {
  std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  const std::string name = path.filename();
  return name.empty() || name == "." || name == ".." ? "graph" : name;
}

// Checks that the nodes fit into memory: a placement and a label or id each,
// and an indptr for each edge type that ends there.
absl::Status CheckMemory(const GraphSource& graph) {
  double bytes = 0;
  for (const NodeSource& nodes : graph.node_types) {
    bytes += 2.0 * sizeof(int64_t) * static_cast<double>(nodes.num_nodes);
  }
  for (const EdgeSource& edges : graph.edge_types) {
    bytes +=
        sizeof(uint64_t) *
        static_cast<double>(graph.node_types[edges.dst_type].num_nodes + 1);
  }
  const uint64_t memory = PhysicalMemoryBytes();
  if (bytes <= static_cast<double>(memory)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the input has more nodes than memory holds: they take at least ", bytes,
      " bytes; allowed: this machine's ", memory));
}

}  // namespace

std::vector<std::string> InputFormats() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

absl::StatusOr<std::vector<std::string>> InputFiles(
    const InputOptions& options) {
  std::vector<std::string> files = options.layout.node_files;
  for (const auto& places : {options.layout.features, options.layout.labels,
                             options.layout.edge_features}) {
    for (const std::string& place : places) {
      const ColumnPlace array = ParseColumnPlace(place);
      files.insert(files.end(), array.arrays.begin(), array.arrays.end());
    }
  }
  if (!options.layout.config.has_value()) {
    files.push_back(options.folder);
    if (options.format != "dgl-chunked") return files;
    ASSIGN_OR_RETURN(const auto chunks, ListDglChunks(options.folder));
    files.insert(files.end(), chunks.begin(), chunks.end());
    return files;
  }
  files.push_back(*options.layout.config);
  ASSIGN_OR_RETURN(GraphLayout layout, ReadGraphLayout(*options.layout.config));
  if (!options.folder.empty()) layout.folder = options.folder;
  for (std::string& file : layout.Files()) files.push_back(std::move(file));
  return files;
}

absl::StatusOr<GraphSource> ReadSource(const InputOptions& options,
                                       const Spool& spool) {
  ASSIGN_OR_RETURN(const Format format, FindFormat(options.format));
  RETURN_IF_ERROR(CheckLayoutFlags(format, options.layout));
  InputProgress* const progress = spool.progress();
  if (progress != nullptr) progress->Begin("reads the input");
  ASSIGN_OR_RETURN(GraphSource graph, format.read(options, spool));
  if (progress != nullptr) progress->Finish();
  if (options.feature_dtype.has_value()) {
    RETURN_IF_ERROR(ConvertFeatures(*options.feature_dtype, graph));
  }
  if (options.out_edges) RETURN_IF_ERROR(AddOutEdges(&graph));
  if (!options.name.empty()) graph.name = options.name;
  if (graph.name.empty()) graph.name = NameOf(options.folder);
  return graph;
}

absl::StatusOr<std::vector<FileSchema>> IdFilesOf(const GraphSource& graph) {
  std::vector<FileSchema> files;
  for (const auto& [path, from] : graph.id_files) {
    ASSIGN_OR_RETURN(const FileMapping file, FileMapping::Open(from));
    files.push_back({path, file.bytes().size(), Crc32c(file.bytes())});
  }
  return files;
}

absl::StatusOr<Input> ReadInput(const InputOptions& options) {
  ASSIGN_OR_RETURN(const TemporarySpool temporary, TemporarySpool::Make());
  ASSIGN_OR_RETURN(GraphSource graph, ReadSource(options, temporary.spool()));
  RETURN_IF_ERROR(CheckMemory(graph));
  Input input;
  ASSIGN_OR_RETURN(input.content, LoadContent(graph));
  input.notes = std::move(graph.notes);
  ASSIGN_OR_RETURN(input.id_files, IdFilesOf(graph));
  return input;
}

}  // namespace tributary
