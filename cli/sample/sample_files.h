// Batches as .npz files.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_FILES_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_FILES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/batch/batch_view.h"
#include "common/io/unfinished_folder.h"

namespace tributary {

// Writes a file a batch into a folder. Each appears whole, under its name, or
// not at all, also when a signal ends the process. Move-only.
class SampleFiles {
 public:
  // Makes `folder`, and its parents, unless there is one. Errors name it.
  static absl::StatusOr<SampleFiles> In(const std::string& folder);
  // FOLDER/batch-EPOCH-INDEX.npz; one of that name is replaced.
  absl::Status Write(const BatchView& batch) const;

 private:
  SampleFiles(std::string folder, UnfinishedFolder unfinished);

  std::string folder_;
  UnfinishedFolder unfinished_;  // below folder_
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_FILES_H_
