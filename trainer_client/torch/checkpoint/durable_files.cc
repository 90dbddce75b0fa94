#include "trainer_client/torch/checkpoint/durable_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "common/io/file_writer.h"
#include "common/io/path_error.h"
#include "common/io/unique_fd.h"
#include "common/runtime/fault_point.h"
#include "common/text/status.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

absl::Status BeforeChange() { return FaultPoint("checkpoint.disk"); }

bool IsFolder(const std::string& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() == fs::file_type::directory;
}

}  // namespace

absl::Status CreateFolder(const std::string& path) {
  RETURN_IF_ERROR(BeforeChange());
  if (mkdir(path.c_str(), 0777) == 0) return absl::OkStatus();
  return PathError(path, "create folder");
}

absl::Status WriteNewFile(const std::string& path,
                          absl::Span<const absl::Span<const uint8_t>> pieces) {
  RETURN_IF_ERROR(BeforeChange());
  ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(path));
  for (const auto& piece : pieces) {
    RETURN_IF_ERROR(BeforeChange());
    RETURN_IF_ERROR(file.Append(piece));
  }
  RETURN_IF_ERROR(BeforeChange());
  return file.SyncAndClose();
}

absl::Status SyncPath(const std::string& path) {
  RETURN_IF_ERROR(BeforeChange());
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return PathError(path, "open");
  return fsync(fd.get()) == 0 ? absl::OkStatus() : PathError(path, "sync");
}

absl::Status RenamePath(const std::string& from, const std::string& to) {
  RETURN_IF_ERROR(BeforeChange());
  if (rename(from.c_str(), to.c_str()) == 0) return absl::OkStatus();
  return PathError(from, absl::StrCat("rename to ", to, " the path").c_str());
}

absl::Status ExchangeFolders(const std::string& from, const std::string& to) {
  if (!IsFolder(to)) return RenamePath(from, to);
  RETURN_IF_ERROR(BeforeChange());
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                RENAME_EXCHANGE) == 0) {
    return absl::OkStatus();
  }
  if (errno != EINVAL && errno != ENOSYS) {
    return PathError(to, "exchange the finished folder with");
  }
  const std::string aside = from + "-old";
  RETURN_IF_ERROR(RenamePath(to, aside));
  if (const absl::Status status = RenamePath(from, to); !status.ok()) {
    RenamePath(aside, to).IgnoreError();
    return status;
  }
  return RenamePath(aside, from);
}

absl::Status RemoveTree(const std::string& path) {
  if (IsFolder(path)) {
    ASSIGN_OR_RETURN(const auto names, ListFolder(path));
    for (const std::string& name : names) {
      RETURN_IF_ERROR(RemoveTree(absl::StrCat(path, "/", name)));
    }
  }
  RETURN_IF_ERROR(BeforeChange());
  if (remove(path.c_str()) == 0 || errno == ENOENT) return absl::OkStatus();
  return PathError(path, "remove");
}

absl::StatusOr<std::vector<std::string>> ListFolder(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end;
       it.increment(error)) {
    names.push_back(it->path().filename());
  }
  if (error) {
    return absl::ErrnoToStatus(error.value(),
                               absl::StrCat("cannot list folder ", path));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string ParentFolder(const std::string& path) {
  const std::string parent = fs::path(path).parent_path();
  return parent.empty() ? "." : parent;
}

}  // namespace tributary
