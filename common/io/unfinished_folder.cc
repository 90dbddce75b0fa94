#include "common/io/unfinished_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/io/path_error.h"
#include "common/io/rename_folder.h"
#include "common/runtime/mutex.h"
#include "common/text/status.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

// A name is taken only if a crashed process of the same pid left it behind.
constexpr int kMaxAttempts = 1000;
// Removal is repeated while other threads still write. Each has at most one
// file that it may still create; for the next one it needs a path, which it no
// longer gets.
constexpr int kMaxRemovals = 10000;

// The paths of all unfinished folders. Creating, finishing and removing one
// happens under the lock.
struct Folders {
  Mutex mutex;
  std::set<std::string> paths ABSL_GUARDED_BY(mutex);
};

// Never destroyed, since a signal may arrive while the process exits.
Folders& AllFolders() {
  static Folders* const folders = new Folders;
  return *folders;
}

}  // namespace

absl::StatusOr<UnfinishedFolder> UnfinishedFolder::Create(
    const std::string& prefix, unsigned mode) {
  Folders& folders = AllFolders();
  MutexLock lock(folders.mutex);
  std::string path;
  for (int i = 0; i < kMaxAttempts; ++i) {
    path = absl::StrCat(prefix, getpid(), "-", i);
    if (mkdir(path.c_str(), mode) == 0) {
      folders.paths.insert(path);
      return UnfinishedFolder(std::move(path));
    }
    if (errno != EEXIST) break;
  }
  return PathError(path, "create folder");
}

UnfinishedFolder::UnfinishedFolder(UnfinishedFolder&& other) noexcept
    : path_(std::exchange(other.path_, "")) {}

UnfinishedFolder::~UnfinishedFolder() {
  if (path_.empty()) return;
  Folders& folders = AllFolders();
  MutexLock lock(folders.mutex);
  std::error_code ignored;  // a destructor cannot report errors
  fs::remove_all(path_, ignored);
  folders.paths.erase(path_);
}

absl::StatusOr<std::string> UnfinishedFolder::PathFor(
    const std::string& relative) const {
  MutexLock lock(AllFolders().mutex);
  std::string path = absl::StrCat(path_, "/", relative);
  const std::string parent = fs::path(path).parent_path();
  std::error_code error;
  fs::create_directories(parent, error);
  if (!error) return path;
  return absl::ErrnoToStatus(error.value(),
                             absl::StrCat("cannot create folder ", parent));
}

absl::Status UnfinishedFolder::RenameTo(const std::string& target) {
  Folders& folders = AllFolders();
  MutexLock lock(folders.mutex);
  RETURN_IF_ERROR(RenameNoReplace(path_, target));
  folders.paths.erase(path_);
  path_.clear();
  return absl::OkStatus();
}

absl::Status UnfinishedFolder::Replace(const std::string& target) {
  Folders& folders = AllFolders();
  MutexLock lock(folders.mutex);
  const absl::Status exchanged = ExchangeNames(path_, target);
  if (!absl::IsUnimplemented(exchanged)) return exchanged;
  const std::string old = path_ + "-old";
  RETURN_IF_ERROR(RenameNoReplace(target, old));
  folders.paths.insert(old);
  const absl::Status renamed = RenameNoReplace(path_, target);
  if (renamed.ok()) {
    folders.paths.erase(path_);
    path_ = old;
    return absl::OkStatus();
  }
  folders.paths.erase(old);
  return RenameNoReplace(old, target).ok() ? renamed : PathError(old, "keep");
}

void RemoveUnfinishedFoldersAndExit(int exit_code) {
  Folders& folders = AllFolders();
  MutexLock lock(folders.mutex);  // never released
  for (const std::string& path : folders.paths) {
    std::error_code error;
    for (int i = 0; i < kMaxRemovals; ++i) {
      fs::remove_all(path, error);
      if (!fs::exists(fs::symlink_status(path, error))) break;
    }
  }
  std::_Exit(exit_code);
}

}  // namespace tributary
