#include "common/io/rename_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/io/path_error.h"
#include "common/runtime/parallel_for.h"

namespace tributary {
namespace {

// A journal commits together what is synced at the same time: one file after
// another takes a wait for the disk each, which for the 100,000 files of a
// graph of many types and partitions is minutes.
constexpr int kSyncsAtATime = 16;

}  // namespace

absl::Status RenameNoReplace(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                RENAME_NOREPLACE) == 0) {
    return absl::OkStatus();
  }
  // Some file systems support no flags. Plain rename replaces at most an empty
  // folder.
  const bool no_flags = errno == EINVAL || errno == ENOSYS;
  if (no_flags && rename(from.c_str(), to.c_str()) == 0) {
    return absl::OkStatus();
  }
  if (errno == EEXIST || errno == ENOTEMPTY) {
    return absl::AlreadyExistsError(
        absl::StrCat(to, " exists; remove it or name a folder that does not"));
  }
  return PathError(to, "rename the finished folder to");
}

absl::Status ExchangeNames(const std::string& a, const std::string& b) {
  if (renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) ==
      0) {
    return absl::OkStatus();
  }
  if (errno == EINVAL || errno == ENOSYS) {
    return absl::UnimplementedError(
        absl::StrCat("the file system of ", a, " exchanges no names"));
  }
  return PathError(b, "replace");
}

absl::Status SyncToDisk(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return PathError(path, "open");
  const int result = fsync(fd);
  close(fd);
  return result == 0 ? absl::OkStatus() : PathError(path, "sync");
}

absl::Status SyncTree(const std::string& root) {
  std::vector<std::string> paths = {root};
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator it(root, error), end;
       !error && it != end; it.increment(error)) {
    paths.push_back(it->path());
  }
  if (error) {
    return absl::UnavailableError(
        absl::StrCat("cannot list ", root, ": ", error.message()));
  }
  return ParallelFor(
      paths.size(), /*grain=*/1, kSyncsAtATime,
      [&](size_t begin, size_t) { return SyncToDisk(paths[begin]); });
}

std::string ParentFolderOf(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent;
}

}  // namespace tributary
