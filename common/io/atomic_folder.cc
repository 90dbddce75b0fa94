#include "common/io/atomic_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/io/path_error.h"
#include "common/text/status.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

absl::Status AlreadyExists(const std::string& target) {
  return absl::AlreadyExistsError(absl::StrCat(
      target, " exists; remove it or name a folder that does not"));
}

absl::Status Sync(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return PathError(path, "open");
  const int result = fsync(fd);
  close(fd);
  return result == 0 ? absl::OkStatus() : PathError(path, "sync");
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
  fs::create_directories(ParentOf(path), error);  // mkdir reports the error
  ASSIGN_OR_RETURN(UnfinishedFolder temporary,
                   UnfinishedFolder::Create(path + ".tmp-"));
  return AtomicFolder(path, std::move(temporary));
}

absl::Status AtomicFolder::Commit(bool flush) {
  if (flush) RETURN_IF_ERROR(SyncTree(temporary_.path()));
  RETURN_IF_ERROR(temporary_.RenameTo(target_));
  return flush ? Sync(ParentOf(target_)) : absl::OkStatus();
}

}  // namespace tributary
