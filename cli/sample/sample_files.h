// Writes batches as .npz files.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_FILES_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_FILES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/batch/batch_view.h"
#include "common/io/unfinished_folder.h"
#include "common/tensor/tensor_view.h"

namespace tributary {

// Writes one file per batch into a folder. A file appears under its name
// complete or not at all, also when a signal ends the process. Move-only.
class SampleFiles {
 public:
  // Creates `folder`, with its parents, unless it exists. UNAVAILABLE, with its
  // name, if that fails.
  static absl::StatusOr<SampleFiles> In(const std::string& folder);
  // Writes FOLDER/batch-EPOCH-INDEX.npz, with the tensors of the batch and
  // `more`; replaces a file of that name.
  absl::Status Write(const BatchView& batch,
                     absl::Span<const TensorView> more = {}) const;

 private:
  SampleFiles(std::string folder, UnfinishedFolder unfinished);

  std::string folder_;
  UnfinishedFolder unfinished_;  // below folder_
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_FILES_H_
