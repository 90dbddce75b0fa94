// Reads the lines of a text file, plain or gzip.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_TEXT_LINE_READER_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_TEXT_LINE_READER_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "partition/pipeline/inputs/text/gzip_input.h"
#include "partition/source/input_progress.h"

namespace tributary {

// Reads sequentially in bounded memory: a buffer of 256 KiB, or as large as the
// longest line, up to 64 MiB. Move-only, not thread-safe.
//
//   absl::string_view line;
//   while (reader.Next(&line)) Use(line);
//   RETURN_IF_ERROR(reader.status());
class LineReader {
 public:
  // Opens `path`. Reports to `progress`, which may be null and must outlive
  // this, how many bytes of the file have been read, as the part `path`. Errors
  // as OpenRegularFile. Blank lines that only the end of the file follows are
  // left out, unless they are to be kept.
  static absl::StatusOr<LineReader> Open(const std::string& path,
                                         InputProgress* progress = nullptr,
                                         bool keep_blank_end = false);
  LineReader(LineReader&&) noexcept = default;
  LineReader& operator=(LineReader&&) = delete;

  // Reads the next line, without "\n" or "\r\n"; it is valid until the next
  // call. Returns false at the end of the file or after an error; see status().
  bool Next(absl::string_view* line);
  // The first error: DATA_LOSS for a gzip file that is damaged, truncated or
  // followed by other data; INVALID_ARGUMENT for a line that is too long.
  const absl::Status& status() const { return status_; }

  // The number of lines returned so far.
  uint64_t line_number() const { return line_number_; }
  // Returns INVALID_ARGUMENT "FILE line N: what" for the last line.
  absl::Status ErrorHere(absl::string_view what) const;
  const std::string& path() const { return path_; }

 private:
  LineReader(std::string path, GzipInput input, InputProgress* progress,
             bool keep_blank_end);
  bool ReadLine(absl::string_view* line);
  bool Fill();

  std::string path_;
  GzipInput input_;
  InputProgress* progress_;
  std::string buffer_;
  size_t begin_ = 0;  // range of buffer_ not yet returned
  size_t end_ = 0;
  bool at_end_ = false;
  const bool keep_blank_end_;
  // Blank lines that have been read and not returned, and whether the line
  // after them, `next_`, has been.
  uint64_t blanks_ = 0;
  bool has_next_ = false;
  absl::string_view next_;
  uint64_t line_number_ = 0;
  absl::Status status_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_TEXT_LINE_READER_H_
