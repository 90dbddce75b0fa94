// A folder that appears whole or not at all.
#ifndef TRIBUTARY_COMMON_IO_FILE_ATOMIC_FOLDER_H_
#define TRIBUTARY_COMMON_IO_FILE_ATOMIC_FOLDER_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/io/unfinished_folder.h"

namespace tributary {

// A temporary folder beside the target that Commit() renames to it; the
// destructor, or a signal's end, removes it when that has not been done.
// Move-only. After a crash a folder named `<target>.tmp-PID-N` may stay: it may
// be deleted.
class AtomicFolder {
 public:
  // ALREADY_EXISTS when the target exists; else what the system says.
  static absl::StatusOr<AtomicFolder> Create(const std::string& target);

  // Where to write, and the path of `relative` there, whose parent folders are
  // made. Thread-safe.
  const std::string& path() const { return temporary_.path(); }
  absl::StatusOr<std::string> PathFor(std::string_view relative) const {
    return temporary_.PathFor(std::string(relative));
  }

  // Flushes all files and folders to the disk, unless told not to, and renames.
  // ALREADY_EXISTS when someone made the target meanwhile.
  absl::Status Commit(bool flush = true);

 private:
  AtomicFolder(std::string target, UnfinishedFolder temporary)
      : target_(std::move(target)), temporary_(std::move(temporary)) {}

  std::string target_;
  UnfinishedFolder temporary_;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IO_FILE_ATOMIC_FOLDER_H_
