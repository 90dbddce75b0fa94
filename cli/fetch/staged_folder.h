// A folder that is filled over several runs of a program, and appears complete
// or not at all.
#ifndef TRIBUTARY_CLI_FETCH_STAGED_FOLDER_H_
#define TRIBUTARY_CLI_FETCH_STAGED_FOLDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/fetch/transfer_plan.h"
#include "common/io/unique_fd.h"

namespace tributary {

// The folder `<target>.fetching`, which stays when the program ends, however
// it ends, and is renamed to `target` at last. A file has its own name once
// its checksum was right, and ".part" behind it before. Only one process at a
// time has it. Move-only; not thread-safe.
class StagedFolder {
 public:
  // Opens or creates the folder for the files of `manifest`. What is left of
  // another manifest is removed first. FAILED_PRECONDITION if another process
  // has the folder; otherwise the system's error.
  static absl::StatusOr<StagedFolder> Open(const std::string& target,
                                           const Manifest& manifest);

  const std::string& path() const { return path_; }
  // Return the path of a file in the folder, finished or not.
  std::string PathOf(const std::string& file) const {
    return path_ + "/" + file;
  }
  std::string PartOf(const std::string& file) const {
    return PathOf(file) + ".part";
  }
  // Whether the file is finished.
  bool Has(const PlannedFile& file) const;
  // Returns the bytes that are there of a file that is not finished.
  uint64_t PartBytes(const PlannedFile& file) const;
  // Prepares the parts of a graph's folder that have manifests of their own:
  // what is left of others is removed.
  absl::Status OpenParts(const std::vector<PlannedPart>& parts);
  // Flushes the part `name` to the disk, puts it into the place of that of the
  // target, which exists, in one step where the file system can, and removes
  // the rest.
  absl::Status FinishPart(const std::string& name);
  // Flushes the folders to the disk and renames the folder. ALREADY_EXISTS if
  // the target has been created meanwhile.
  absl::Status Finish(const Manifest& manifest);

 private:
  StagedFolder(std::string target, std::string path, UniqueFd lock)
      : target_(std::move(target)),
        path_(std::move(path)),
        lock_(std::move(lock)) {}

  std::string target_;
  std::string path_;
  UniqueFd lock_;
};

// Returns the bytes that are free on the file system of `path`, or of the
// nearest folder above it that exists.
absl::StatusOr<uint64_t> FreeBytes(const std::string& path);

// Whether the folder has the manifest and the files, each at its length.
bool HasFiles(const std::string& folder, const Manifest& manifest,
              const std::vector<PlannedFile>& files);

// Checks that the folder has the manifest and every file at its length, but for
// those of parts. OK; NOT_FOUND if there is no such folder; ALREADY_EXISTS,
// naming what differs.
absl::Status CheckComplete(const std::string& folder, const TransferPlan& plan);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FETCH_STAGED_FOLDER_H_
