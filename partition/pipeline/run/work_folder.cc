#include "partition/pipeline/run/work_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

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

// Removes all that is in the folder: first what says whose it is, so that what
// a kill leaves of the rest is nobody's work.
absl::Status Empty(const std::string& path) {
  std::error_code error;
  fs::remove(path + kIdentityFile, error);
  if (error) return SystemError(error, path + kIdentityFile, "remove");
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

// Visits each folder once, also where links lead back to it.
using Folders = std::set<std::pair<dev_t, ino_t>>;

// Adds the files below `folder`, those behind links included, since readers
// follow them. Entries are visited by name, so that of several ways to a folder
// always the same is taken.
void AddFilesBelow(const std::string& folder, Folders& visited,
                   std::vector<std::string>& lines) {
  struct stat info;
  if (stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) ||
      !visited.emplace(info.st_dev, info.st_ino).second) {
    return;
  }
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    paths.push_back(it->path());
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    if (fs::is_directory(path, error)) {
      AddFilesBelow(path, visited, lines);
    } else if (fs::is_regular_file(path, error)) {
      AddFile(path, lines);
    }
  }
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
  RETURN_IF_ERROR(Empty(path_));
  std::error_code error;
  fs::remove_all(path_, error);
  return error ? SystemError(error, path_, "remove") : absl::OkStatus();
}

std::string IdentityOfFiles(const std::vector<std::string>& paths) {
  std::vector<std::string> lines;
  Folders visited;
  for (const std::string& path : paths) {
    AddFile(path, lines);
    AddFilesBelow(path, visited, lines);
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) absl::StrAppend(&text, line, "\n");
  return text;
}

}  // namespace tributary
