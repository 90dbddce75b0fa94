#include "common/file_atomic_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/status.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

absl::Status FolderError(const std::string& path, const char* action) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot ", action, " ", path));
}

absl::Status AlreadyExists(const std::string& target) {
  return absl::AlreadyExistsError(absl::StrCat(
      target, " exists; remove it or name a folder that does not"));
}

absl::Status Sync(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return FolderError(path, "open");
  const int result = fsync(fd);
  close(fd);
  return result == 0 ? absl::OkStatus() : FolderError(path, "sync");
}

absl::Status SyncTree(const std::string& root) {
  std::error_code error;
  for (fs::recursive_directory_iterator it(root, error), end;
       !error && it != end; it.increment(error)) {
    RETURN_IF_ERROR(Sync(it->path()));
  }
  if (error) {
    return absl::UnavailableError(
        absl::StrCat("cannot list ", root, ": ", error.message()));
  }
  return Sync(root);
}

std::string ParentOf(const std::string& path) {
  const std::string parent = fs::path(path).parent_path();
  return parent.empty() ? "." : parent;
}

// Left over by crashed processes of the same number, at worst.
constexpr int kMaxAttempts = 1000;

absl::StatusOr<std::string> MakeTemporaryBeside(const std::string& target) {
  std::string path;
  for (int i = 0; i < kMaxAttempts; ++i) {
    path = absl::StrCat(target, ".tmp-", getpid(), "-", i);
    if (mkdir(path.c_str(), 0777) == 0) return path;
    if (errno != EEXIST) break;
  }
  return FolderError(path, "create folder");
}

}  // namespace

absl::StatusOr<AtomicFolder> AtomicFolder::Create(const std::string& target) {
  absl::string_view trimmed = target;
  while (trimmed.size() > 1 && absl::ConsumeSuffix(&trimmed, "/")) {
  }
  const std::string path(trimmed);
  if (path.empty()) {
    return absl::InvalidArgumentError("the folder to write has no name");
  }
  std::error_code error;
  if (fs::symlink_status(path, error).type() != fs::file_type::not_found) {
    return AlreadyExists(path);
  }
  fs::create_directories(ParentOf(path), error);  // mkdir tells if it failed
  ASSIGN_OR_RETURN(std::string temporary, MakeTemporaryBeside(path));
  return AtomicFolder(path, std::move(temporary));
}

AtomicFolder::AtomicFolder(AtomicFolder&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, "")) {}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;  // a destructor has nobody to tell
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

absl::StatusOr<std::string> AtomicFolder::PathFor(
    std::string_view relative) const {
  std::string path = temporary_ + "/" + std::string(relative);
  std::error_code error;
  fs::create_directories(ParentOf(path), error);
  if (error) {
    return absl::ErrnoToStatus(
        error.value(), absl::StrCat("cannot create folder ", ParentOf(path)));
  }
  return path;
}

absl::Status AtomicFolder::Commit(bool flush) {
  if (flush) RETURN_IF_ERROR(SyncTree(temporary_));
  if (renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(),
                RENAME_NOREPLACE) != 0) {
    if (errno == EEXIST || errno == ENOTEMPTY) return AlreadyExists(target_);
    // Some file systems know no flags; plain rename replaces only an empty
    // folder.
    if (errno != EINVAL && errno != ENOSYS) {
      return FolderError(target_, "rename the finished folder to");
    }
    if (rename(temporary_.c_str(), target_.c_str()) != 0) {
      return FolderError(target_, "rename the finished folder to");
    }
  }
  temporary_.clear();
  return flush ? Sync(ParentOf(target_)) : absl::OkStatus();
}

}  // namespace tributary
