// The lines of text files, shared out by bytes.
#ifndef TRIBUTARY_PARTITION_PIPELINE_MPI_LINE_SHARE_H_
#define TRIBUTARY_PARTITION_PIPELINE_MPI_LINE_SHARE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include "absl/strings/string_view.h"

#include "absl/status/statusor.h"
#include "common/io/unique_fd.h"

namespace tributary {

// Reads the lines that begin in share `rank` of `ranks` of the bytes of some
// files, one after another; lines without any character but blanks are left
// out. Every line is in one share. Holds two blocks of 1 MiB at most.
// Move-only; not thread-safe.
class LineShare {
 public:
  // The system's error with the path; INVALID_ARGUMENT for what is no regular
  // file.
  static absl::StatusOr<LineShare> Open(std::vector<std::string> paths,
                                        int rank, int ranks);

  // Returns the next line without its end, valid until the next call; nullopt
  // at the end. INVALID_ARGUMENT for a line of more than 1 MiB; DATA_LOSS if a
  // file has become shorter; else the system's error.
  absl::StatusOr<std::optional<absl::string_view>> Next();
  // Returns where the last line is: "mag_edges.txt, line 17". Reads the file up
  // to there, for messages only.
  std::string Where() const;

 private:
  // The share of one file: lines that begin at [begin, end).
  struct Range {
    std::string path;
    uint64_t begin = 0, end = 0, size = 0;
  };

  // Opens ranges_[range_] and skips the line that an earlier share has.
  absl::Status OpenRange();
  // Reads a block after what is left of the buffer. False at the file's end.
  absl::StatusOr<bool> FillBuffer();
  // Returns the line at at_ and moves behind it; nullopt at the file's end.
  absl::StatusOr<std::optional<absl::string_view>> NextOfFile();

  std::vector<Range> ranges_;
  size_t range_ = 0;
  UniqueFd fd_;
  std::string buffer_;
  uint64_t buffer_begin_ = 0;  // offset in the file of the buffer's first byte
  size_t at_ = 0;              // in the buffer
  uint64_t line_begin_ = 0;    // offset in the file of the last line
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_MPI_LINE_SHARE_H_
