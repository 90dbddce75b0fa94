// The folder in which a run keeps what it spills and how far it is.
#ifndef TRIBUTARY_PARTITION_PIPELINE_RUN_WORK_FOLDER_H_
#define TRIBUTARY_PARTITION_PIPELINE_RUN_WORK_FOLDER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/io/unique_fd.h"

namespace tributary {

// A folder that outlives the process until Remove, so that the same command
// goes on after a kill. Locked while the object lives. Move-only.
class WorkFolder {
 public:
  // Opens the folder that a run of the same `identity` has left, or makes it
  // anew: what another run has left is removed first. ABORTED if another
  // process uses it; else the system's error.
  static absl::StatusOr<WorkFolder> Open(const std::string& path,
                                         const std::string& identity);

  const std::string& path() const { return path_; }
  // Whether an earlier run's work is continued.
  bool continues() const { return continues_; }
  // Whether there is anything that a later run could continue from.
  bool holds_work() const;
  absl::Status Remove();

 private:
  WorkFolder(std::string path, UniqueFd lock, bool continues)
      : path_(std::move(path)), lock_(std::move(lock)), continues_(continues) {}

  std::string path_;
  UniqueFd lock_;
  bool continues_;
};

// Returns a text that changes when one of the files does: their paths, sizes
// and times of change. Folders stand for all files below them, those behind
// links to other folders included; what does not exist is left out.
std::string IdentityOfFiles(const std::vector<std::string>& paths);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_RUN_WORK_FOLDER_H_
