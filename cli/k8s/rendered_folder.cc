#include "cli/k8s/rendered_folder.h"

#include <fcntl.h>
#include <stdio.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/io/file_mapping.h"
#include "common/io/file_writer.h"
#include "common/io/path_error.h"
#include "common/io/unfinished_folder.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kMostFileBytes = size_t{1} << 26;

absl::Status NotRenderedError(const std::string& path) {
  return absl::AlreadyExistsError(absl::StrCat(
      path, " exists and was not rendered; remove it, or name another --out"));
}

// Returns OK if the folder holds files of an earlier rendering alone.
absl::Status CheckRendered(const std::string& folder) {
  std::error_code error;
  if (std::filesystem::symlink_status(folder, error).type() !=
      std::filesystem::file_type::directory) {
    return NotRenderedError(folder);
  }
  std::filesystem::directory_iterator at(folder, error);
  for (; !error && at != std::filesystem::directory_iterator();
       at.increment(error)) {
    const std::string path = at->path().string();
    const auto text = ReadFile(path, kMostFileBytes);
    if (!text.ok() || !absl::StartsWith(*text, kRenderedMark)) {
      return NotRenderedError(path);
    }
  }
  if (!error) return absl::OkStatus();
  return absl::ErrnoToStatus(error.value(),
                             absl::StrCat("cannot read ", folder));
}

absl::Status WriteFiles(const UnfinishedFolder& folder,
                        const RenderedFiles& files) {
  for (const auto& [name, text] : files) {
    ASSIGN_OR_RETURN(const std::string path, folder.PathFor(name));
    ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(path));
    RETURN_IF_ERROR(file.Append(text));
    RETURN_IF_ERROR(file.SyncAndClose());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteRenderedFolder(const std::string& folder,
                                 const RenderedFiles& files) {
  std::string target = folder;
  while (target.size() > 1 && target.back() == '/') target.pop_back();
  std::error_code error;
  const bool exists = std::filesystem::symlink_status(target, error).type() !=
                      std::filesystem::file_type::not_found;
  if (exists) RETURN_IF_ERROR(CheckRendered(target));
  ASSIGN_OR_RETURN(UnfinishedFolder made,
                   UnfinishedFolder::Create(target + ".tmp-"));
  RETURN_IF_ERROR(WriteFiles(made, files));
  if (!exists) return made.RenameTo(target);
  // Exchanges both: what was there is then removed as the unfinished folder.
  if (renameat2(AT_FDCWD, made.path().c_str(), AT_FDCWD, target.c_str(),
                RENAME_EXCHANGE) != 0) {
    return PathError(target, "replace");
  }
  return absl::OkStatus();
}

}  // namespace tributary
