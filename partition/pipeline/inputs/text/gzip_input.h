// Reads a file and decompresses it if it is gzip.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_TEXT_GZIP_INPUT_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_TEXT_GZIP_INPUT_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// A stream of the bytes of a plain or gzip file (RFC 1952), which is recognised
// by its first two bytes. A gzip file may have any number of members. Unlike
// zlib's gzread, it refuses other data after them: such a file was put together
// wrongly, and the rest would be lost silently. Reads in pieces of 256 KiB.
// Move-only, not thread-safe.
class GzipInput {
 public:
  // Opens `path`. Errors as OpenRegularFile.
  static absl::StatusOr<GzipInput> Open(const std::string& path);
  GzipInput(GzipInput&&) noexcept;
  GzipInput& operator=(GzipInput&&) = delete;
  ~GzipInput();

  // Reads up to `out.size()` (> 0) bytes; returns 0 at the end. DATA_LOSS,
  // without the path, if the file is damaged, truncated or followed by other
  // data.
  absl::StatusOr<size_t> Read(absl::Span<char> out);
  // Returns how many bytes of the file have been used for what was read.
  int64_t file_bytes() const;

 private:
  struct State;
  explicit GzipInput(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_TEXT_GZIP_INPUT_H_
