#include "cli/dispatch/graph_location.h"

#include <unistd.h>

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "partition/format/paths.h"

namespace tributary {
namespace {

std::string ParentOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The folders that may be meant, the likeliest first.
std::vector<std::string> Candidates(const std::string& part_config) {
  absl::string_view name = part_config;
  if (!absl::ConsumeSuffix(&name, ".json")) return {part_config};
  const std::string parent = ParentOf(part_config);
  if (absl::EndsWith(absl::StrCat("/", part_config),
                     absl::StrCat("/", kGraphJson))) {
    return {parent};
  }
  return {std::string(name), parent};
}

}  // namespace

std::string PathFrom(const std::string& base, const std::string& path) {
  if (base.empty() || absl::StartsWith(path, "/")) return path;
  return absl::StrCat(base, "/", path);
}

absl::StatusOr<std::string> FindGraph(const std::string& base,
                                      const std::string& part_config) {
  std::string given = part_config;
  while (given.size() > 1 && given.back() == '/') given.pop_back();
  std::vector<std::string> looked;
  for (const std::string& folder : Candidates(given)) {
    looked.push_back(absl::StrCat(PathFrom(base, folder), "/", kGraphJson));
    if (access(looked.back().c_str(), F_OK) == 0) return folder;
  }
  if (access(PathFrom(base, given).c_str(), F_OK) == 0 &&
      absl::EndsWith(given, ".json")) {
    return absl::FailedPreconditionError(absl::StrCat(
        PathFrom(base, given),
        " is no graph of tributary, and none is beside it; of DGL's partition "
        "tributary_export.py and `tributary partition` make one"));
  }
  return absl::NotFoundError(
      absl::StrCat("--part-config ", part_config, ": there is no ",
                   absl::StrJoin(looked, " and no "),
                   "\nallowed: a folder that `tributary partition` wrote, or "
                   "its graph.json"));
}

}  // namespace tributary
