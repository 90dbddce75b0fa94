#include "partition/pipeline/inputs/ogb/typed_splits.h"

#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/ogb/node_type_table.h"
#include "partition/pipeline/inputs/ogb/ogb_files.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

// Files of splits in a scheme's folder and those below it.
struct Found {
  bool csv = false;
  std::string pickle;  // the first by name; empty: none
};

absl::StatusOr<Found> FindSplits(const std::string& folder) {
  Found found;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end;
       !error && it != end; it.increment(error)) {
    const std::string path = it->path(), name = it->path().filename();
    found.csv |= absl::StrContains(name, ".csv") &&
                 !absl::StartsWith(name, "nodetype-has-split");
    if (!absl::EndsWith(name, ".pt")) continue;
    if (found.pickle.empty() || path < found.pickle) found.pickle = path;
  }
  if (!error) return found;
  return absl::UnavailableError(
      absl::StrCat("cannot list ", folder, ": ", error.message()));
}

}  // namespace

absl::Status CheckTypeFlag(const std::optional<std::vector<bool>>& flags,
                           size_t type, bool found, const std::string& table,
                           const std::string& what) {
  if (!flags.has_value() || (*flags)[type] == found) return absl::OkStatus();
  return absl::InvalidArgumentError(
      found ? absl::StrCat(what, " is there, but ", table,
                           " says that there is none; make them agree")
            : absl::StrCat(what, " is not there, but ", table,
                           " says that it is; make them agree"));
}

absl::StatusOr<std::vector<SplitSource>> ReadTypeSplits(
    const std::string& folder, const std::string& scheme,
    const std::vector<NodeSource>& types, std::vector<std::string>& notes) {
  const std::string flags_at = folder + "/nodetype-has-split";
  ASSIGN_OR_RETURN(const auto flags, ReadTypeFlags(flags_at, types));
  std::vector<SplitSource> all;
  for (size_t t = 0; t < types.size(); ++t) {
    const std::string files = absl::StrCat(folder, "/", types[t].name);
    std::vector<std::string> others;
    ASSIGN_OR_RETURN(auto splits,
                     ReadSplitFiles(files, scheme, types[t], others));
    for (const std::string& path : others) {
      notes.push_back(path +
                      " has more than one column and is left out: splits of "
                      "edges lie in a folder of their relation's name");
    }
    RETURN_IF_ERROR(CheckTypeFlag(flags, t, !splits.empty(), flags_at,
                                  files + "/{train,valid,test}"));
    absl::c_move(splits, std::back_inserter(all));
  }
  return all;
}

absl::Status CheckNoPickledSchemes(const std::string& folder,
                                   const std::vector<std::string>& schemes) {
  for (const std::string& scheme : schemes) {
    const std::string files = absl::StrCat(folder, "/", scheme);
    ASSIGN_OR_RETURN(const Found found, FindSplits(files));
    if (found.csv || found.pickle.empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        found.pickle, " is a pickle, which is not read; allowed: ", files,
        "/TYPE/{train,valid,test}.csv.gz with a node on each line, ", files,
        "/HEAD___RELATION___TAIL/{train,valid,test}.csv.gz with "
        "\"source,destination\" on each, which "
        "partition/exporters/ogb_splits.py writes, or no such folder"));
  }
  return absl::OkStatus();
}

}  // namespace tributary
