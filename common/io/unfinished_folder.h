// Folders that do not outlive the process, even if a signal ends it.
#ifndef TRIBUTARY_COMMON_IO_UNFINISHED_FOLDER_H_
#define TRIBUTARY_COMMON_IO_UNFINISHED_FOLDER_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tributary {

// A folder that is removed, with its contents, by the destructor or by
// RemoveUnfinishedFoldersAndExit, unless RenameTo has made it permanent. Only
// SIGKILL or a crash leaves it behind. Move-only.
class UnfinishedFolder {
 public:
  // Creates the folder `<prefix><pid>-<n>`, with the first free n and the
  // permissions `mode` less the umask. Otherwise returns the system's error
  // with the path.
  static absl::StatusOr<UnfinishedFolder> Create(const std::string& prefix,
                                                 unsigned mode = 0777);
  ~UnfinishedFolder();
  UnfinishedFolder(UnfinishedFolder&& other) noexcept;
  UnfinishedFolder& operator=(UnfinishedFolder&& other) = delete;

  const std::string& path() const { return path_; }
  // Returns the path of `relative` in the folder and creates its parent
  // folders. Thread-safe.
  absl::StatusOr<std::string> PathFor(const std::string& relative) const;
  // Renames the folder to `target`, on the same file system, and keeps it;
  // path() is empty afterwards. ALREADY_EXISTS if `target` exists.
  absl::Status RenameTo(const std::string& target);
  // Gives the folder the name of the existing `target`, on the same file
  // system, and keeps it; owns what was there before, at a temporary path,
  // instead. In one step, where the file system can exchange names; else there
  // is no `target` for a moment. The system's error, with the path.
  absl::Status Replace(const std::string& target);

 private:
  explicit UnfinishedFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

// Removes every UnfinishedFolder, while other threads may still write into
// them, and ends the process by _Exit. Called on a thread that handles signals.
// Once it has begun, other threads can create, finish or remove no folder.
[[noreturn]] void RemoveUnfinishedFoldersAndExit(int exit_code);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IO_UNFINISHED_FOLDER_H_
