// The lines of a text file, plain or gzip.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_LINE_READER_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_LINE_READER_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "partition/pipeline/inputs/gzip_input.h"

namespace tributary {

// Reads front to back in bounded memory: a buffer of 256 KiB, more only for a
// line that is longer, up to 64 MiB. Move-only, not thread-safe.
class LineReader {
 public:
  // Errors as OpenRegularFile.
  static absl::StatusOr<LineReader> Open(const std::string& path);
  LineReader(LineReader&&) noexcept = default;
  LineReader& operator=(LineReader&&) = delete;

  // The next line without its end ("\n" or "\r\n"), valid until the next call;
  // false at the end of the file or after an error, which status() tells.
  bool Next(absl::string_view* line);
  // DATA_LOSS for a gzip file that is damaged, truncated or followed by
  // something else, INVALID_ARGUMENT for a line that is too long.
  const absl::Status& status() const { return status_; }

  // Lines returned so far.
  uint64_t line_number() const { return line_number_; }
  // INVALID_ARGUMENT: "FILE line N: what".
  absl::Status ErrorHere(absl::string_view what) const;
  const std::string& path() const { return path_; }

 private:
  LineReader(std::string path, GzipInput input);
  bool Fill();

  std::string path_;
  GzipInput input_;
  std::string buffer_;
  size_t begin_ = 0;  // of what has not been returned
  size_t end_ = 0;
  bool at_end_ = false;
  uint64_t line_number_ = 0;
  absl::Status status_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_LINE_READER_H_
