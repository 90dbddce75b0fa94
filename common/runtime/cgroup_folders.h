// Finds the folders with the limits of this process's control group.
#ifndef TRIBUTARY_COMMON_RUNTIME_CGROUP_FOLDERS_H_
#define TRIBUTARY_COMMON_RUNTIME_CGROUP_FOLDERS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tributary {

// A folder below /sys/fs/cgroup.
struct CgroupFolder {
  int version = 2;  // or 1: their files have other names
  std::string path;
};

// Returns the folders of the cgroup that this process is in and of all its
// ancestors, for `controller` ("cpu", "memory"), from /proc/self/cgroup. Inside
// a container the paths of the host may not exist; then only the mount's own
// folder has files, which are the container's. `root` replaces the root folder
// / in tests. Empty without cgroups.
std::vector<CgroupFolder> CgroupFolders(const std::string& root,
                                        std::string_view controller);

// Returns the text of a file; nullopt if it cannot be read. Reads to the end:
// files of /proc and /sys have no length.
std::optional<std::string> ReadSystemFile(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RUNTIME_CGROUP_FOLDERS_H_
