#include "common/io/atomic_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/io/rename_folder.h"
#include "common/text/status.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

absl::Status AlreadyExists(const std::string& target) {
  return absl::AlreadyExistsError(absl::StrCat(
      target, " exists; remove it or name a folder that does not"));
}

// Locks a folder for as long as the descriptor is open. Not all network file
// systems lock folders: then the descriptor is invalid.
UniqueFd LockFolder(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid() && flock(fd.get(), LOCK_EX | LOCK_NB) != 0) fd.Reset();
  return fd;
}

// Another process may not have locked what it has just created.
bool IsYoung(const std::string& path) {
  constexpr time_t kSeconds = 10;
  struct stat info {};
  return stat(path.c_str(), &info) != 0 ||
         info.st_mtime > time(nullptr) - kSeconds;
}

}  // namespace

// Folders that a process holds are locked. Errors are no reason not to go on.
void RemoveAbandonedFolders(const std::string& target) {
  const std::string prefix =
      absl::StrCat(fs::path(target).filename().string(), ".tmp-");
  std::error_code error;
  std::vector<std::string> found;
  for (fs::directory_iterator it(ParentFolderOf(target), error), end;
       !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename();
    if (absl::StartsWith(name, prefix)) found.push_back(it->path());
  }
  for (const std::string& path : found) {
    if (IsYoung(path)) continue;
    const UniqueFd lock = LockFolder(path);
    if (lock.valid()) fs::remove_all(path, error);
  }
}

bool Exists(const std::string& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() != fs::file_type::not_found;
}

absl::StatusOr<AtomicFolder> AtomicFolder::Create(const std::string& target,
                                                  ExistingFolder existing) {
  absl::string_view trimmed = target;
  while (trimmed.size() > 1 && absl::ConsumeSuffix(&trimmed, "/")) {
  }
  const std::string path(trimmed);
  if (path.empty()) {
    return absl::InvalidArgumentError("the folder to write has no name");
  }
  if (existing == ExistingFolder::kRefuse && Exists(path)) {
    return AlreadyExists(path);
  }
  std::error_code error;
  fs::create_directories(ParentFolderOf(path),
                         error);  // mkdir reports the error
  RemoveAbandonedFolders(path);
  ASSIGN_OR_RETURN(UnfinishedFolder temporary,
                   UnfinishedFolder::Create(path + ".tmp-"));
  UniqueFd lock = LockFolder(temporary.path());
  return AtomicFolder(path, existing, std::move(temporary), std::move(lock));
}

absl::Status AtomicFolder::Commit(bool flush) {
  if (flush) RETURN_IF_ERROR(SyncTree(temporary_.path()));
  if (existing_ == ExistingFolder::kReplace && Exists(target_)) {
    RETURN_IF_ERROR(temporary_.Replace(target_));
  } else {
    RETURN_IF_ERROR(temporary_.RenameTo(target_));
  }
  return flush ? SyncToDisk(ParentFolderOf(target_)) : absl::OkStatus();
}

}  // namespace tributary
