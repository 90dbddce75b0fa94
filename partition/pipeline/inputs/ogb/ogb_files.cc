#include "partition/pipeline/inputs/ogb/ogb_files.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/csv/csv_column.h"
#include "partition/pipeline/inputs/csv/csv_table.h"
#include "partition/schema/schema_check.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

// Refuses splits that are only there as pickles.
absl::Status CheckNoPickles(const std::string& folder) {
  for (const char* name : {"split_dict.pt", "train.pt"}) {
    const std::string path = absl::StrCat(folder, "/", name);
    ASSIGN_OR_RETURN(const bool there, IsThere(path));
    if (!there) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        path, " is a pickle, which is not read; allowed: ", folder,
        "/{train,valid,test}.csv.gz with a line for each node (or edge, as "
        "\"source,destination\"), which partition/exporters/ogb_splits.py "
        "writes, or no such folder"));
  }
  return absl::OkStatus();
}

absl::Status CheckNamedFile(const NamedFile& file) {
  const std::string& name = *file.name;
  if (!name.empty() && name.find('/') == std::string::npos &&
      name.find('\0') == std::string::npos && !absl::EndsWith(name, ".csv") &&
      !absl::EndsWith(name, ".csv.gz")) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      file.flag, " \"", absl::CHexEscape(name),
      "\"; allowed: the name of a file of the input, without folder and "
      ".csv.gz"));
}

}  // namespace

absl::StatusOr<bool> IsThere(const std::string& path) {
  std::error_code error;
  const auto type = fs::symlink_status(path, error).type();
  if (type == fs::file_type::not_found) return false;
  if (type != fs::file_type::none) return true;
  return absl::ErrnoToStatus(error.value(),
                             absl::StrCat("cannot look at ", path));
}

absl::StatusOr<std::string> FindCsv(const std::string& stem) {
  ASSIGN_OR_RETURN(const bool gzip, IsThere(stem + ".csv.gz"));
  ASSIGN_OR_RETURN(const bool plain, IsThere(stem + ".csv"));
  if (gzip && plain) {
    return absl::InvalidArgumentError(absl::StrCat(
        stem, " exists as .csv and as .csv.gz; remove one of them"));
  }
  if (gzip) return stem + ".csv.gz";
  return plain ? stem + ".csv" : "";
}

absl::StatusOr<std::string> RequireCsv(const std::string& stem) {
  ASSIGN_OR_RETURN(std::string path, FindCsv(stem));
  if (!path.empty()) return path;
  return absl::NotFoundError(absl::StrCat(
      stem, ".csv.gz (or .csv) is not there; OGB's layout needs it"));
}

absl::StatusOr<int64_t> ReadCount(const std::string& stem) {
  ASSIGN_OR_RETURN(const std::string path, RequireCsv(stem));
  return ReadSingleCount(path);
}

absl::StatusOr<ColumnPtr> ReadOptional(const std::string& stem,
                                       const RowCount& num_rows,
                                       TableReader read, const Spool& spool) {
  ASSIGN_OR_RETURN(const std::string path, FindCsv(stem));
  if (path.empty()) return ColumnPtr();
  return read(path, num_rows, spool);
}

absl::StatusOr<std::vector<std::string>> ListFolders(
    const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  if (!fs::is_directory(folder, error)) return names;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (it->is_directory(error)) names.push_back(it->path().filename());
  }
  if (error) {
    return absl::UnavailableError(
        absl::StrCat("cannot list ", folder, ": ", error.message()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

NamedFile EdgeWeightFile(const InputOptions& options) {
  return {"--edge-weight", options.edge_weight, ReadWeightTable};
}

NamedFile EdgeTimeFile(const InputOptions& options) {
  return {"--edge-time", options.edge_time, ReadTimeTable};
}

NamedFile NodeTimeFile(const InputOptions& options) {
  return {"--node-time", options.node_time, ReadTimeTable};
}

std::vector<NamedFile> EdgeMaskFiles(const InputOptions& options) {
  std::vector<NamedFile> files;
  for (const std::string& name : options.edge_masks) {
    files.push_back({"--edge-masks", name, ReadMaskTable});
  }
  return files;
}

std::vector<NamedFile> NamedFiles(const InputOptions& options) {
  std::vector<NamedFile> files = EdgeMaskFiles(options);
  for (NamedFile file : {EdgeWeightFile(options), EdgeTimeFile(options),
                         NodeTimeFile(options)}) {
    if (file.name.has_value()) files.push_back(std::move(file));
  }
  return files;
}

absl::Status CheckNamedFiles(const InputOptions& options) {
  for (const NamedFile& file : NamedFiles(options)) {
    RETURN_IF_ERROR(CheckNamedFile(file));
  }
  const absl::Status masks = CheckMaskNames(options.edge_masks);
  if (masks.ok()) return masks;
  return absl::InvalidArgumentError(
      absl::StrCat("--edge-masks: ", masks.message()));
}

absl::StatusOr<ColumnPtr> ReadNamed(const NamedFile& file,
                                    const std::string& folder,
                                    const RowCount& num_rows,
                                    const Spool& spool) {
  if (!file.name.has_value()) return ColumnPtr();
  const std::string stem = folder + *file.name;
  ASSIGN_OR_RETURN(const std::string path, FindCsv(stem));
  if (!path.empty()) return file.read(path, num_rows, spool);
  return absl::NotFoundError(absl::StrCat(stem, ".csv.gz (or .csv), which ",
                                          file.flag, " names, is not there"));
}

absl::StatusOr<std::vector<std::string>> ListSchemes(
    const std::string& folder, const InputOptions& options) {
  ASSIGN_OR_RETURN(std::vector<std::string> schemes, ListFolders(folder));
  for (const std::string& scheme : options.edge_splits) {
    if (absl::c_linear_search(schemes, scheme)) continue;
    return absl::NotFoundError(
        absl::StrCat("--edge-splits \"", absl::CHexEscape(scheme),
                     "\" is no folder of ", folder, "; allowed: ",
                     schemes.empty() ? "none, there are no splits"
                                     : absl::StrJoin(schemes, ", ")));
  }
  return schemes;
}

bool IsEdgeScheme(const InputOptions& options, const std::string& scheme) {
  return absl::c_linear_search(options.edge_splits, scheme);
}

absl::StatusOr<std::vector<SplitSource>> ReadSplitFiles(
    const std::string& folder, const std::string& scheme,
    const NodeSource& nodes, std::vector<std::string>& others) {
  std::vector<SplitSource> splits;
  for (const char* name : {"test", "train", "valid"}) {
    ASSIGN_OR_RETURN(const std::string path,
                     FindCsv(absl::StrCat(folder, "/", name)));
    if (path.empty()) continue;
    absl::StatusOr<std::optional<std::vector<int64_t>>> read =
        ReadIdList(path, nodes.num_nodes, "node");
    if (absl::IsInvalidArgument(read.status())) {
      return absl::InvalidArgumentError(absl::StrCat(
          read.status().message(),
          " (if these are rows of edges: --edge-splits ", scheme, ")"));
    }
    ASSIGN_OR_RETURN(auto ids, std::move(read));
    if (ids.has_value()) {
      splits.push_back({.scheme = scheme,
                        .type = nodes.name,
                        .name = name,
                        .nodes = *std::move(ids)});
    } else {
      others.push_back(path);
    }
  }
  return splits;
}

absl::StatusOr<std::vector<SplitSource>> ReadEdgeSplitFiles(
    const std::string& folder, const std::string& scheme,
    const EdgeSplitType& type, bool rows) {
  std::vector<SplitSource> splits;
  for (const char* name :
       {"test", "test_neg", "train", "train_neg", "valid", "valid_neg"}) {
    ASSIGN_OR_RETURN(const std::string path,
                     FindCsv(absl::StrCat(folder, "/", name)));
    if (path.empty()) continue;
    ASSIGN_OR_RETURN(auto ends,
                     ReadPairList(path, type.src_nodes, type.dst_nodes));
    SplitSource split{.scheme = scheme, .type = type.name, .name = name};
    if (ends.has_value()) {
      split.from = std::move(ends->from);
      split.to = std::move(ends->to);
    } else if (rows) {
      ASSIGN_OR_RETURN(auto numbers, ReadIdList(path, type.edges, "edge"));
      if (numbers.has_value()) split.rows = *std::move(numbers);
    } else {
      continue;
    }
    splits.push_back(std::move(split));
  }
  return splits;
}

absl::StatusOr<std::vector<SplitSource>> ReadSplits(const InputOptions& options,
                                                    const NodeSource& nodes,
                                                    int64_t num_edges) {
  const std::string folder = options.folder + "/split";
  const EdgeSplitType type{"node,to,node", nodes.num_nodes, nodes.num_nodes,
                           num_edges};
  std::vector<SplitSource> splits;
  ASSIGN_OR_RETURN(const auto schemes, ListSchemes(folder, options));
  for (const std::string& scheme : schemes) {
    RETURN_IF_ERROR(CheckFileName(scheme));
    const size_t before = splits.size();
    const std::string files = absl::StrCat(folder, "/", scheme);
    const bool rows = IsEdgeScheme(options, scheme);
    if (!rows) {
      std::vector<std::string> others;  // splits of edges
      ASSIGN_OR_RETURN(auto of_nodes,
                       ReadSplitFiles(files, scheme, nodes, others));
      absl::c_move(of_nodes, std::back_inserter(splits));
    }
    ASSIGN_OR_RETURN(auto of_edges,
                     ReadEdgeSplitFiles(files, scheme, type, rows));
    absl::c_move(of_edges, std::back_inserter(splits));
    if (splits.size() == before) RETURN_IF_ERROR(CheckNoPickles(files));
  }
  SortSplits(splits);
  return splits;
}

void SortSplits(std::vector<SplitSource>& splits) {
  absl::c_stable_sort(splits, [](const SplitSource& a, const SplitSource& b) {
    return std::tie(a.scheme, a.type, a.name) <
           std::tie(b.scheme, b.type, b.name);
  });
}

}  // namespace tributary
