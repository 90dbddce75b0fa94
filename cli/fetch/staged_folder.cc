#include "cli/fetch/staged_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/io/file_mapping.h"
#include "common/io/file_writer.h"
#include "common/io/path_error.h"
#include "common/io/rename_folder.h"
#include "common/text/status.h"
#include "partition/format/graph_json.h"
#include "partition/format/paths.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

constexpr char kLockName[] = ".lock";

absl::StatusOr<UniqueFd> Lock(const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/", kLockName);
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!fd.valid()) return PathError(path, "create");
  if (flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return fd;
  return absl::FailedPreconditionError(absl::StrCat(
      "another process fetches into ", folder, "; wait until it has ended"));
}

// Removes everything in the folder but the lock.
absl::Status Empty(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().filename() != kLockName) entries.push_back(it->path());
  }
  for (const fs::path& entry : entries) {
    if (!error) fs::remove_all(entry, error);
  }
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("cannot empty ", folder, ": ", error.message()));
}

absl::Status RemoveAll(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("cannot remove ", path, ": ", error.message()));
}

absl::Status WriteManifest(const std::string& path, const std::string& text) {
  const std::string part = path + ".part";
  std::error_code ignored;  // Create reports it
  fs::create_directories(ParentFolderOf(path), ignored);
  unlink(part.c_str());
  ASSIGN_OR_RETURN(FileWriter writer, FileWriter::Create(part));
  RETURN_IF_ERROR(writer.Append(text));
  RETURN_IF_ERROR(writer.SyncAndClose());
  if (rename(part.c_str(), path.c_str()) == 0) return absl::OkStatus();
  return PathError(path, "create");
}

absl::Status SyncFolders(const std::string& root) {
  std::error_code error;
  for (fs::recursive_directory_iterator it(root, error), end;
       !error && it != end; it.increment(error)) {
    if (it->is_directory()) RETURN_IF_ERROR(SyncToDisk(it->path()));
  }
  if (!error) return SyncToDisk(root);
  return absl::UnavailableError(
      absl::StrCat("cannot list ", root, ": ", error.message()));
}

uint64_t SizeOf(const std::string& path, bool* exists) {
  struct stat info {};
  *exists = stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  return *exists ? static_cast<uint64_t>(info.st_size) : 0;
}

}  // namespace

absl::StatusOr<StagedFolder> StagedFolder::Open(const std::string& target,
                                                const Manifest& manifest) {
  std::string path = target + ".fetching";
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    return absl::ErrnoToStatus(
        error.value(),
        absl::StrCat("cannot create ", path,
                     "\nallowed: a folder in one that can be written, such as "
                     "/graphs/main where /graphs is the volume"));
  }
  ASSIGN_OR_RETURN(UniqueFd lock, Lock(path));
  StagedFolder folder(target, std::move(path), std::move(lock));
  const std::string known = folder.PathOf(manifest.path);
  const auto text = ReadFile(known, kMaxGraphJsonBytes);
  if (text.ok() && *text == manifest.text) return folder;
  RETURN_IF_ERROR(Empty(folder.path()));
  RETURN_IF_ERROR(WriteManifest(known, manifest.text));
  return folder;
}

bool StagedFolder::Has(const PlannedFile& file) const {
  bool exists = false;
  return SizeOf(PathOf(file.path), &exists) == file.bytes && exists;
}

uint64_t StagedFolder::PartBytes(const PlannedFile& file) const {
  bool exists = false;
  return SizeOf(PartOf(file.path), &exists);
}

absl::Status StagedFolder::OpenParts(const std::vector<PlannedPart>& parts) {
  std::vector<std::string> left = {PathOf(kHotFolder)};
  std::error_code error;
  for (fs::directory_iterator it(PathOf(kHotListsFolder), error), end;
       !error && it != end; it.increment(error)) {
    left.push_back(it->path());
  }
  std::vector<const PlannedPart*> begun;
  for (const PlannedPart& part : parts) {
    const auto text =
        ReadFile(PathOf(part.manifest.path), part.manifest.text.size());
    if (text.ok() && *text == part.manifest.text) {
      std::erase(left, PathOf(part.name));
    } else {
      begun.push_back(&part);
    }
  }
  for (const std::string& path : left) RETURN_IF_ERROR(RemoveAll(path));
  for (const PlannedPart* part : begun) {
    RETURN_IF_ERROR(
        WriteManifest(PathOf(part->manifest.path), part->manifest.text));
  }
  return absl::OkStatus();
}

absl::Status StagedFolder::FinishPart(const std::string& name) {
  const std::string from = PathOf(name);
  const std::string to = absl::StrCat(target_, "/", name);
  RETURN_IF_ERROR(SyncFolders(from));
  std::error_code ignored;  // the rename reports it
  fs::create_directories(ParentFolderOf(to), ignored);
  absl::Status placed = RenameNoReplace(from, to);
  if (absl::IsAlreadyExists(placed)) placed = ExchangeNames(from, to);
  if (absl::IsUnimplemented(placed)) {
    RETURN_IF_ERROR(RemoveAll(to));
    placed = RenameNoReplace(from, to);
  }
  RETURN_IF_ERROR(placed);
  RETURN_IF_ERROR(SyncToDisk(ParentFolderOf(to)));
  RETURN_IF_ERROR(SyncToDisk(target_));
  return RemoveAll(path_);
}

absl::Status StagedFolder::Finish(const Manifest& manifest) {
  if (manifest.text.empty()) return absl::InternalError("an empty manifest");
  RETURN_IF_ERROR(SyncFolders(path_));
  unlink(PathOf(kLockName).c_str());
  RETURN_IF_ERROR(RenameNoReplace(path_, target_));
  return SyncToDisk(ParentFolderOf(target_));
}

absl::StatusOr<uint64_t> FreeBytes(const std::string& path) {
  fs::path at = fs::absolute(path);
  std::error_code ignored;
  while (at.has_relative_path() && !fs::exists(at, ignored)) {
    at = at.parent_path();
  }
  struct statvfs info {};
  if (statvfs(at.c_str(), &info) != 0) return PathError(at, "look at");
  return static_cast<uint64_t>(info.f_bavail) * info.f_frsize;
}

bool HasFiles(const std::string& folder, const Manifest& manifest,
              const std::vector<PlannedFile>& files) {
  const auto text =
      ReadFile(absl::StrCat(folder, "/", manifest.path), manifest.text.size());
  if (!text.ok() || *text != manifest.text) return false;
  for (const PlannedFile& file : files) {
    bool exists = false;
    const uint64_t bytes =
        SizeOf(absl::StrCat(folder, "/", file.path), &exists);
    if (!exists || bytes != file.bytes) return false;
  }
  return true;
}

absl::Status CheckComplete(const std::string& folder,
                           const TransferPlan& plan) {
  std::error_code error;
  if (fs::symlink_status(folder, error).type() == fs::file_type::not_found) {
    return absl::NotFoundError(folder);
  }
  const auto text = ReadFile(absl::StrCat(folder, "/", plan.manifest.path),
                             kMaxGraphJsonBytes);
  if (!text.ok() || *text != plan.manifest.text) {
    return absl::AlreadyExistsError(absl::StrCat(
        folder, " exists and does not hold ", plan.name,
        "\nallowed: remove it, or name a folder that does not exist"));
  }
  for (const PlannedFile& file : plan.files) {
    bool exists = false;
    const uint64_t bytes =
        SizeOf(absl::StrCat(folder, "/", file.path), &exists);
    if (exists && bytes == file.bytes) continue;
    return absl::AlreadyExistsError(absl::StrCat(
        folder, " exists and ", file.path, " has ", bytes, " bytes in it, not ",
        file.bytes,
        "\nallowed: remove it, or name a folder that does not exist; other "
        "partitions go into another folder"));
  }
  return absl::OkStatus();
}

}  // namespace tributary
