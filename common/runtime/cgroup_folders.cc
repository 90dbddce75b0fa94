#include "common/runtime/cgroup_folders.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tributary {
namespace {

void AddFolders(int version, std::string mount, absl::string_view path,
                std::vector<CgroupFolder>& folders) {
  folders.push_back({version, mount});
  for (absl::string_view part : absl::StrSplit(path, '/', absl::SkipEmpty())) {
    if (part == "..") return;  // outside the namespace of this process
    absl::StrAppend(&mount, "/", part);
    folders.push_back({version, mount});
  }
}

}  // namespace

std::vector<CgroupFolder> CgroupFolders(const std::string& root,
                                        std::string_view controller) {
  const std::string mounts = absl::StrCat(root, "/sys/fs/cgroup");
  const std::string text =
      ReadSystemFile(absl::StrCat(root, "/proc/self/cgroup")).value_or("");
  std::vector<CgroupFolder> folders;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    // NUMBER:CONTROLLERS:PATH; version 2 names no controllers.
    const std::vector<absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    const std::vector<std::string> controllers = absl::StrSplit(parts[1], ',');
    if (parts[1].empty()) {
      AddFolders(2, mounts, parts[2], folders);
    } else if (std::find(controllers.begin(), controllers.end(), controller) !=
               controllers.end()) {
      AddFolders(1, absl::StrCat(mounts, "/", std::string(controller)),
                 parts[2], folders);
    }
  }
  return folders;
}

std::optional<std::string> ReadSystemFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace tributary
