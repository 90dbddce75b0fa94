#include "trainer_client/torch/checkpoint/checkpoint_writer.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/io/path_error.h"
#include "common/text/status.h"
#include "trainer_client/torch/checkpoint/checkpoint_folder.h"
#include "trainer_client/torch/checkpoint/durable_files.h"
#include "trainer_client/torch/checkpoint/file_digest.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

absl::Status CreateRoot(const std::string& root) {
  std::error_code error;
  fs::create_directories(ParentFolder(root), error);  // CreateFolder reports it
  const absl::Status status = CreateFolder(root);
  if (absl::IsAlreadyExists(status)) return absl::OkStatus();
  RETURN_IF_ERROR(status);
  return SyncPath(ParentFolder(root));
}

// Returns a descriptor whose lock ends with the process at the latest.
absl::StatusOr<UniqueFd> Lock(const std::string& root) {
  UniqueFd fd(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return PathError(root, "open folder");
  if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return absl::FailedPreconditionError(
        absl::StrCat(root,
                     ": another process writes a checkpoint here; each "
                     "run needs a folder of its own"));
  }
  return fd;  // some network file systems lock no folders
}

absl::Status RemoveUnfinished(const std::string& root,
                              const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!absl::StartsWith(name, kUnfinishedPrefix)) continue;
    RETURN_IF_ERROR(RemoveTree(absl::StrCat(root, "/", name)));
  }
  return absl::OkStatus();
}

absl::Status RefuseLater(const std::string& root,
                         const std::vector<std::string>& names, uint64_t step) {
  for (const std::string& name : names) {
    const auto other = StepOfCheckpointFolder(name);
    if (!other || *other <= step) continue;
    const std::string path = absl::StrCat(root, "/", name);
    if (!ReadCheckpoint(path).ok()) continue;  // nobody resumes from it
    return absl::FailedPreconditionError(
        absl::StrCat(path, " is a checkpoint of more steps than the ", step,
                     " of this run; remove it or name another folder"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CheckpointWriter> CheckpointWriter::Create(
    const std::string& root, uint64_t step) {
  RETURN_IF_ERROR(CreateRoot(root));
  ASSIGN_OR_RETURN(UniqueFd lock, Lock(root));
  ASSIGN_OR_RETURN(const auto names, ListFolder(root));
  RETURN_IF_ERROR(RefuseLater(root, names, step));
  RETURN_IF_ERROR(RemoveUnfinished(root, names));
  CheckpointWriter writer(root, step, std::move(lock));
  RETURN_IF_ERROR(CreateFolder(writer.temporary_));
  return writer;
}

CheckpointWriter::CheckpointWriter(std::string root, uint64_t step,
                                   UniqueFd lock)
    : root_(std::move(root)),
      step_(step),
      lock_(std::move(lock)),
      path_(absl::StrCat(root_, "/", CheckpointFolderName(step))) {
  temporary_ = absl::StrCat(root_, "/.tmp-", CheckpointFolderName(step));
}

CheckpointWriter::CheckpointWriter(CheckpointWriter&& other) noexcept
    : root_(std::move(other.root_)),
      step_(other.step_),
      lock_(std::move(other.lock_)),
      temporary_(std::exchange(other.temporary_, "")),
      path_(std::move(other.path_)),
      names_(std::move(other.names_)),
      committed_(other.committed_) {}

CheckpointWriter::~CheckpointWriter() {
  if (temporary_.empty()) return;
  // If this fails, the next writer does it.
  RemoveTree(temporary_).IgnoreError();
}

absl::StatusOr<std::string> CheckpointWriter::PathFor(const std::string& name) {
  if (!IsCheckpointFileName(name)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", name,
                     "' is no name of a checkpoint's file; allowed: letters, "
                     "digits, '-', '_' and '.', which is not the first"));
  }
  names_.insert(name);
  return absl::StrCat(temporary_, "/", name);
}

absl::Status CheckpointWriter::Commit(CheckpointManifest manifest,
                                      size_t keep) {
  if (keep == 0) {
    return absl::InvalidArgumentError(
        "no checkpoint is to be kept; allowed: 1 or more");
  }
  RETURN_IF_ERROR(Finish(manifest));
  committed_ = true;
  // The checkpoint that was replaced, if there was one.
  RETURN_IF_ERROR(RemoveTree(temporary_));
  return RemoveOld(keep);
}

absl::Status CheckpointWriter::Finish(CheckpointManifest& manifest) {
  manifest.step = step_;
  RETURN_IF_ERROR(AddFiles(manifest));
  const std::string text = FormatManifest(manifest);
  const absl::Span<const uint8_t> pieces[] = {absl::MakeConstSpan(
      reinterpret_cast<const uint8_t*>(text.data()), text.size())};
  RETURN_IF_ERROR(
      WriteNewFile(absl::StrCat(temporary_, "/", kManifestName), pieces));
  RETURN_IF_ERROR(SyncPath(temporary_));
  RETURN_IF_ERROR(ExchangeFolders(temporary_, path_));
  return SyncPath(root_);
}

absl::Status CheckpointWriter::AddFiles(CheckpointManifest& manifest) const {
  manifest.files.clear();
  for (const std::string& name : names_) {
    const std::string path = absl::StrCat(temporary_, "/", name);
    RETURN_IF_ERROR(SyncPath(path));
    ASSIGN_OR_RETURN(const FileDigest digest, DigestOfFile(path));
    manifest.files.push_back(
        {.name = name, .bytes = digest.bytes, .sha256 = digest.sha256});
  }
  return absl::OkStatus();
}

absl::Status CheckpointWriter::RemoveOld(size_t keep) const {
  ASSIGN_OR_RETURN(const auto names, ListFolder(root_));
  std::vector<uint64_t> steps;
  for (const std::string& name : names) {
    const auto step = StepOfCheckpointFolder(name);
    if (step && *step < step_) steps.push_back(*step);
  }
  std::sort(steps.rbegin(), steps.rend());
  for (size_t i = keep - 1; i < steps.size(); ++i) {
    const std::string name = CheckpointFolderName(steps[i]);
    // Under this name a crash cannot make it look damaged.
    const std::string removed = absl::StrCat(root_, "/.tmp-", name, "-removed");
    RETURN_IF_ERROR(RenamePath(absl::StrCat(root_, "/", name), removed));
    RETURN_IF_ERROR(RemoveTree(removed));
  }
  return absl::OkStatus();
}

}  // namespace tributary
