// The lines of a text file, plain or gzip.
#ifndef TRIBUTARY_PARTITION_PIPELINE_LINE_READER_H_
#define TRIBUTARY_PARTITION_PIPELINE_LINE_READER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tributary {

// Reads front to back in bounded memory: a buffer of 256 KiB, more only for a
// line that is longer, up to 64 MiB. Whether the file is gzip is seen from its
// first bytes. Move-only, not thread-safe.
class LineReader {
 public:
  // NOT_FOUND or what the system says, naming the path.
  static absl::StatusOr<LineReader> Open(const std::string& path);
  LineReader(LineReader&& other) noexcept;
  LineReader& operator=(LineReader&& other) = delete;
  ~LineReader();

  // The next line without its end ("\n" or "\r\n"), valid until the next call;
  // false at the end of the file or after an error, which status() tells.
  bool Next(absl::string_view* line);
  // DATA_LOSS for a damaged or truncated gzip file, INVALID_ARGUMENT for a line
  // that is too long.
  const absl::Status& status() const { return status_; }

  // Lines returned so far.
  uint64_t line_number() const { return line_number_; }
  // INVALID_ARGUMENT: "FILE line N: what".
  absl::Status ErrorHere(absl::string_view what) const;
  const std::string& path() const { return path_; }

 private:
  LineReader(std::string path, void* file);
  bool Fill();

  std::string path_;
  void* file_;  // gzFile
  std::string buffer_;
  size_t begin_ = 0;  // of what has not been returned
  size_t end_ = 0;
  bool at_end_ = false;
  uint64_t line_number_ = 0;
  absl::Status status_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_LINE_READER_H_
