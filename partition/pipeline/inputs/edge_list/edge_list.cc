#include "partition/pipeline/inputs/edge_list/edge_list.h"

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/layout/layout_flags.h"
#include "partition/pipeline/inputs/layout/layout_json.h"
#include "partition/pipeline/inputs/layout_source/read_config.h"
#include "partition/pipeline/inputs/text/number_text.h"
#include "partition/schema/schema_check.h"

namespace tributary {
namespace {

constexpr const char* kSuffixes[] = {".csv", ".csv.gz", ".tsv",    ".tsv.gz",
                                     ".txt", ".txt.gz", ".parquet"};

// Returns the file STEM.SUFFIX of the folder; empty if there is none.
absl::StatusOr<std::string> FindTable(const std::string& folder,
                                      const std::string& stem) {
  std::vector<std::string> found;
  for (const char* suffix : kSuffixes) {
    std::error_code error;
    const std::string name = stem + suffix;
    if (std::filesystem::exists(folder + "/" + name, error)) {
      found.push_back(name);
    }
  }
  if (found.empty()) return "";
  if (found.size() == 1) {
    return (std::filesystem::path(folder) / found[0]).string();
  }
  return absl::InvalidArgumentError(absl::StrCat(folder, " has ",
                                                 absl::StrJoin(found, " and "),
                                                 "; allowed: one of them"));
}

// Sets the columns of edges that all formats have flags for.
absl::Status ApplyColumnFlags(const InputOptions& options,
                              GraphLayout& layout) {
  EdgeLayout& edges = layout.edges[0];
  if (options.edge_weight.has_value()) {
    edges.weight = ParseColumnPlace(*options.edge_weight);
  }
  if (options.edge_time.has_value()) {
    edges.time = ParseColumnPlace(*options.edge_time);
  }
  if (options.node_time.has_value()) {
    layout.nodes[0].time = ParseColumnPlace(*options.node_time);
  }
  RETURN_IF_ERROR(CheckMaskNames(options.edge_masks));
  for (const std::string& mask : options.edge_masks) {
    edges.masks[mask].columns = {mask};
  }
  if (!options.edge_splits.empty()) {
    return absl::InvalidArgumentError(
        "--edge-splits is of --format ogb; an edge list has splits of edges "
        "in its --config");
  }
  return absl::OkStatus();
}

absl::StatusOr<GraphLayout> LayoutOf(const InputOptions& options) {
  GraphLayout layout;
  layout.origin = options.folder;
  layout.nodes.push_back({.name = "node"});
  layout.edges.push_back({.src = "node", .rel = "to", .dst = "node"});
  NodeLayout& nodes = layout.nodes[0];
  EdgeLayout& edges = layout.edges[0];
  std::error_code error;
  if (!std::filesystem::is_directory(options.folder, error)) {
    edges.table = {options.folder};
    const std::string file = std::filesystem::path(options.folder).filename();
    layout.name = file.substr(0, file.find('.'));
  } else {
    ASSIGN_OR_RETURN(const std::string edge_file,
                     FindTable(options.folder, "edges"));
    if (edge_file.empty()) {
      return absl::NotFoundError(absl::StrCat(
          options.folder, " has no edges", absl::StrJoin(kSuffixes, ", edges"),
          "; allowed: --input FILE, or --config"));
    }
    edges.table = {edge_file};
    ASSIGN_OR_RETURN(const std::string node_file,
                     FindTable(options.folder, "nodes"));
    if (!node_file.empty()) nodes.table = {node_file};
  }
  if (!options.layout.node_files.empty()) {
    nodes.table = options.layout.node_files;
  }
  RETURN_IF_ERROR(ApplyFlags(options.layout, layout));
  RETURN_IF_ERROR(ApplyColumnFlags(options, layout));
  return layout;
}

}  // namespace

absl::StatusOr<GraphSource> ReadEdgeList(const InputOptions& options,
                                         const Spool& spool) {
  if (options.layout.config.has_value()) return ReadConfig(options, spool);
  ASSIGN_OR_RETURN(const GraphLayout layout, LayoutOf(options));
  return ReadLayout(layout, ReadingOf(options, layout), spool);
}

}  // namespace tributary
