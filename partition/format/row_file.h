// Reads rows of a table from a file that is not mapped: features that do not
// fit into memory.
#ifndef TRIBUTARY_PARTITION_FORMAT_ROW_FILE_H_
#define TRIBUTARY_PARTITION_FORMAT_ROW_FILE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/io/unique_fd.h"
#include "common/runtime/cancel_token.h"

namespace tributary {

// Rows to read and where to store them: row rows[i] goes to out + to[i] *
// (bytes of a stored row). An empty `to` means to[i] = i. A view: the arrays
// must outlive the read.
struct RowPlaces {
  absl::Span<const uint64_t> rows;
  absl::Span<const uint32_t> to;
  uint8_t* out = nullptr;
  // If null, rows are copied unchanged. Otherwise it converts each row to
  // `row_bytes` bytes at its place in `out`, and `scale_bytes` at scales +
  // to[i] * scale_bytes.
  void (*convert)(const uint8_t* from, size_t width, uint8_t* to,
                  uint8_t* scale) = nullptr;
  size_t width = 0;
  size_t row_bytes = 0;
  uint8_t* scales = nullptr;
  size_t scale_bytes = 0;
};

// The work done by a read.
struct RowReadCounts {
  uint64_t rows = 0;
  uint64_t bytes = 0;  // of rows, as stored in the file
  uint64_t reads = 0;  // system calls; rows near each other share one
  uint64_t waits = 0;  // reads that the page cache could not answer

  RowReadCounts& operator+=(const RowReadCounts& other);
};

// A table of equally long rows in a file. Owns the descriptor. Thread-safe.
class RowFile {
 public:
  // The position of the rows, which are contiguous.
  struct Table {
    uint64_t offset = 0;   // bytes
    size_t row_bytes = 0;  // above 0
    uint64_t num_rows = 0;
  };

  // `path` is used in messages only.
  RowFile(UniqueFd fd, std::string path, const Table& table)
      : fd_(std::move(fd)), path_(std::move(path)), table_(table) {}
  // Opens `path` and tells the kernel not to read ahead. Errors as
  // OpenRegularFile.
  static absl::StatusOr<std::unique_ptr<RowFile>> Open(const std::string& path,
                                                       const Table& table);

  const std::string& path() const { return path_; }
  size_t row_bytes() const { return table_.row_bytes; }
  uint64_t num_rows() const { return table_.num_rows; }

  // Reads the rows that `order` names, as indices into places.rows in ascending
  // order of rows. Requires rows below num_rows() and room for each. Blocks
  // until the disk has answered.
  //
  // Makes two passes: the first reads what is in the page cache, and thereby
  // starts the disk on all the rest at once; the second reads the rest. Errors
  // name path and row: ABORTED if the disk fails, since a retry, or another
  // server, may succeed; DATA_LOSS if the file has become shorter; CANCELLED,
  // checked between two reads of the second pass.
  absl::StatusOr<RowReadCounts> Read(const RowPlaces& places,
                                     absl::Span<const uint32_t> order,
                                     const CancelToken& cancel) const;

 private:
  class Reading;

  const UniqueFd fd_;
  const std::string path_;
  const Table table_;
  // False once the file system has refused RWF_NOWAIT.
  mutable std::atomic<bool> supports_nowait_{true};
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_ROW_FILE_H_
