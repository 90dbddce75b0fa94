#include "partition/pipeline/ogb_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "partition/pipeline/csv_table.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

// Something of that name, be it a file or not: opening it tells.
absl::StatusOr<bool> IsThere(const std::string& path) {
  std::error_code error;
  const auto type = fs::symlink_status(path, error).type();
  if (type == fs::file_type::not_found) return false;
  if (type != fs::file_type::none) return true;
  return absl::ErrnoToStatus(error.value(),
                             absl::StrCat("cannot look at ", path));
}

}  // namespace

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

absl::StatusOr<std::shared_ptr<const RowSource>> ReadOptional(
    const std::string& stem, int64_t num_rows, TableReader read) {
  ASSIGN_OR_RETURN(const std::string path, FindCsv(stem));
  if (path.empty()) return std::shared_ptr<const RowSource>();
  return read(path, num_rows);
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

absl::StatusOr<int> ReadSplitFiles(const std::string& folder,
                                   const std::string& scheme,
                                   const NodeContent& nodes, Input& input) {
  int found = 0;
  for (const char* name : {"test", "train", "valid"}) {
    ASSIGN_OR_RETURN(const std::string path,
                     FindCsv(absl::StrCat(folder, "/", name)));
    if (path.empty()) continue;
    ++found;
    ASSIGN_OR_RETURN(auto ids, ReadIdList(path, nodes.num_nodes));
    if (ids.has_value()) {
      input.content.splits.push_back(
          {scheme, nodes.name, name, *std::move(ids)});
    } else {
      input.notes.push_back(absl::StrCat(
          path, " has more than one column: a split of edges is left out"));
    }
  }
  return found;
}

}  // namespace tributary
