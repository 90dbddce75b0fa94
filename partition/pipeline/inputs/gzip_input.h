// The bytes of a file, unpacked if it is gzip.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_GZIP_INPUT_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_GZIP_INPUT_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// Whether a file is gzip (RFC 1952) is seen from its first two bytes; any
// number of members may follow each other. Unlike zlib's gzread it refuses what
// follows them: that is a file put together wrongly, whose rest would be lost
// in silence. Reads ahead in pieces of 256 KiB. Move-only, not thread-safe.
class GzipInput {
 public:
  // Errors as OpenRegularFile.
  static absl::StatusOr<GzipInput> Open(const std::string& path);
  GzipInput(GzipInput&&) noexcept;
  GzipInput& operator=(GzipInput&&) = delete;
  ~GzipInput();

  // Fills up to `out.size()` (> 0) bytes; 0: the end. DATA_LOSS, without the
  // path: damaged, cut off, or followed by something else.
  absl::StatusOr<size_t> Read(absl::Span<char> out);

 private:
  struct State;
  explicit GzipInput(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_GZIP_INPUT_H_
