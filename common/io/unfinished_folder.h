// Folders that do not outlive the process, not even when a signal ends it.
#ifndef TRIBUTARY_COMMON_IO_UNFINISHED_FOLDER_H_
#define TRIBUTARY_COMMON_IO_UNFINISHED_FOLDER_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tributary {

// A folder that the destructor removes, with all that is in it; so does
// RemoveUnfinishedFoldersAndExit. Only SIGKILL or a crash leaves it. Move-only.
class UnfinishedFolder {
 public:
  // `<prefix><pid>-<n>`, the first n that is free, with the permissions of
  // `mode` less the umask. What the system says otherwise, with the path.
  static absl::StatusOr<UnfinishedFolder> Create(const std::string& prefix,
                                                 unsigned mode = 0777);
  ~UnfinishedFolder();
  UnfinishedFolder(UnfinishedFolder&& other) noexcept;
  UnfinishedFolder& operator=(UnfinishedFolder&& other) = delete;

  const std::string& path() const { return path_; }
  // The path of `relative` below, whose parent folders are made. Thread-safe.
  absl::StatusOr<std::string> PathFor(const std::string& relative) const;
  // Makes it the folder `target`, which must not exist (ALREADY_EXISTS) and is
  // on the same file system; then it stays. path() is empty after.
  absl::Status RenameTo(const std::string& target);

 private:
  explicit UnfinishedFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

// For a thread that waits for signals: removes every UnfinishedFolder while
// other threads may still write into it, and ends the process by _Exit. They
// make no folder and finish none once this has begun.
[[noreturn]] void RemoveUnfinishedFoldersAndExit(int exit_code);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IO_UNFINISHED_FOLDER_H_
