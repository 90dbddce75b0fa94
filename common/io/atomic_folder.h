// A folder that appears complete or not at all.
#ifndef TRIBUTARY_COMMON_IO_ATOMIC_FOLDER_H_
#define TRIBUTARY_COMMON_IO_ATOMIC_FOLDER_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/io/unfinished_folder.h"
#include "common/io/unique_fd.h"

namespace tributary {

enum class ExistingFolder {
  kRefuse,   // is an error
  kReplace,  // is there until Commit() has put the new one in its place
};

// A temporary folder beside its target, which Commit() renames to the target.
// If it was not committed, the destructor removes it, as does a signal that
// ends the process. After a crash a folder named `<target>.tmp-PID-N` may
// remain; the next Create of this target removes it. Move-only.
class AtomicFolder {
 public:
  // Creates the temporary folder, after it has removed those that crashed
  // processes have left. ALREADY_EXISTS if the target exists, unless it is to
  // be replaced; otherwise the system's error.
  static absl::StatusOr<AtomicFolder> Create(
      const std::string& target,
      ExistingFolder existing = ExistingFolder::kRefuse);

  // The temporary folder, and the path of `relative` in it, whose parent
  // folders are created. Thread-safe.
  const std::string& path() const { return temporary_.path(); }
  absl::StatusOr<std::string> PathFor(std::string_view relative) const {
    return temporary_.PathFor(std::string(relative));
  }

  // Flushes all files and folders to the disk, if `flush`, and renames the
  // folder. ALREADY_EXISTS if the target has been created meanwhile and is not
  // to be replaced. What was replaced is removed by the destructor.
  absl::Status Commit(bool flush = true);

 private:
  AtomicFolder(std::string target, ExistingFolder existing,
               UnfinishedFolder temporary, UniqueFd lock)
      : target_(std::move(target)),
        existing_(existing),
        temporary_(std::move(temporary)),
        lock_(std::move(lock)) {}

  std::string target_;
  ExistingFolder existing_;
  UnfinishedFolder temporary_;
  UniqueFd lock_;  // of the temporary folder: its process lives
};

// Removes the temporary folders of `target` that crashed processes have left,
// for those who write to the target in another way.
void RemoveAbandonedFolders(const std::string& target);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IO_ATOMIC_FOLDER_H_
