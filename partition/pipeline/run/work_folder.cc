#include "partition/pipeline/run/work_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "common/hash/sha256.h"
#include "common/io/path_error.h"
#include "common/text/status.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

constexpr char kIdentityFile[] = "/run.identity";

absl::Status SystemError(const std::error_code& error, const std::string& path,
                         const char* action) {
  errno = error.value();
  return PathError(path, action);
}

// Removes all that is in the folder.
absl::Status Empty(const std::string& path) {
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end;
       it.increment(error)) {
    fs::remove_all(it->path(), error);
    if (error) break;
  }
  return error ? SystemError(error, path, "empty") : absl::OkStatus();
}

std::string ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void AddFile(const std::string& path, std::vector<std::string>& lines) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return;
  lines.push_back(absl::StrCat(path, " ", info.st_size, " ",
                               info.st_mtim.tv_sec, " ", info.st_mtim.tv_nsec));
}

}  // namespace

absl::StatusOr<WorkFolder> WorkFolder::Open(const std::string& path,
                                            const std::string& identity) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return SystemError(error, path, "create");
  UniqueFd lock(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock.valid()) return PathError(path, "open");
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return absl::AbortedError(
        absl::StrCat(path, " is in use by another process"));
  }
  const std::string wanted = ToHex(Sha256Of(identity));
  if (ReadText(path + kIdentityFile) == wanted) {
    return WorkFolder(path, std::move(lock), true);
  }
  RETURN_IF_ERROR(Empty(path));
  std::ofstream out(path + kIdentityFile, std::ios::binary);
  out << wanted;
  out.close();
  if (!out) return PathError(path + kIdentityFile, "write");
  return WorkFolder(path, std::move(lock), false);
}

bool WorkFolder::holds_work() const {
  const fs::path identity = path_ + kIdentityFile;
  std::error_code error;
  for (fs::recursive_directory_iterator it(path_, error), end;
       !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (!it->is_directory(ignored) && it->path() != identity) return true;
  }
  return static_cast<bool>(error);
}

absl::Status WorkFolder::Remove() {
  std::error_code error;
  fs::remove_all(path_, error);
  return error ? SystemError(error, path_, "remove") : absl::OkStatus();
}

std::string IdentityOfFiles(const std::vector<std::string>& paths) {
  std::vector<std::string> lines;
  for (const std::string& path : paths) {
    AddFile(path, lines);
    std::error_code error;
    for (fs::recursive_directory_iterator it(path, error), end;
         !error && it != end; it.increment(error)) {
      std::error_code ignored;
      if (it->is_regular_file(ignored)) AddFile(it->path(), lines);
    }
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) absl::StrAppend(&text, line, "\n");
  return text;
}

}  // namespace tributary
