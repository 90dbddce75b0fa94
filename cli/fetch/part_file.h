// A file that is being fetched.
#ifndef TRIBUTARY_CLI_FETCH_PART_FILE_H_
#define TRIBUTARY_CLI_FETCH_PART_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "cli/fetch/staged_folder.h"
#include "cli/fetch/transfer_plan.h"
#include "common/io/unique_fd.h"

namespace tributary {

// Appends to a planned file, under its ".part" name, and finishes it. Used by
// one thread at a time.
class PartFile {
 public:
  // Both outlive the object.
  PartFile(const PlannedFile* file, const StagedFolder* folder)
      : file_(file), folder_(folder) {}

  const PlannedFile& file() const { return *file_; }
  uint64_t size() const { return size_; }  // written so far
  // Whether some bytes are from an earlier run.
  bool resumed() const { return resumed_; }

  // Reads what an earlier run has left, for the checksum.
  absl::Status Resume();
  absl::Status Append(absl::Span<const uint8_t> bytes);
  // Throws away all bytes.
  absl::Status Restart();
  // Gives the complete file its name. DATA_LOSS if the checksum is wrong.
  absl::Status Finish();

 private:
  absl::Status Open();
  std::string path() const { return folder_->PartOf(file_->path); }

  const PlannedFile* const file_;
  const StagedFolder* const folder_;
  UniqueFd fd_;
  uint64_t size_ = 0;
  uint32_t crc32c_ = 0;
  bool resumed_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FETCH_PART_FILE_H_
