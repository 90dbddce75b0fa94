// A table of rows in a file that is read instead of mapped: a graph's features
// that memory does not hold.
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

// Rows that are wanted, and where they go: row rows[i] to out + to[i] * (bytes
// of a row there); an empty `to` means to[i] = i.
struct RowPlaces {
  absl::Span<const uint64_t> rows;
  absl::Span<const uint32_t> to;
  uint8_t* out = nullptr;
  // Null: rows are copied as they are. Else each becomes `row_bytes` bytes,
  // and `scale_bytes` at scales + to[i] * scale_bytes.
  void (*convert)(const uint8_t* from, size_t width, uint8_t* to,
                  uint8_t* scale) = nullptr;
  size_t width = 0;
  size_t row_bytes = 0;
  uint8_t* scales = nullptr;
  size_t scale_bytes = 0;
};

// What reading rows took.
struct RowReadCounts {
  uint64_t rows = 0;
  uint64_t bytes = 0;  // of rows, as the file has them
  uint64_t reads = 0;  // of the file; rows near each other share one
  uint64_t waits = 0;  // of them, those that the page cache did not answer

  RowReadCounts& operator+=(const RowReadCounts& other);
};

// Immutable but for its errors; thread-safe.
class RowFile {
 public:
  // Where the rows lie, one after another.
  struct Table {
    uint64_t offset = 0;   // bytes
    size_t row_bytes = 0;  // above 0
    uint64_t num_rows = 0;
  };

  // `path` is what messages say.
  RowFile(UniqueFd fd, std::string path, const Table& table)
      : fd_(std::move(fd)), path_(std::move(path)), table_(table) {}
  // Tells the kernel not to read ahead. Errors as OpenRegularFile.
  static absl::StatusOr<std::unique_ptr<RowFile>> Open(const std::string& path,
                                                       const Table& table);

  const std::string& path() const { return path_; }
  size_t row_bytes() const { return table_.row_bytes; }
  uint64_t num_rows() const { return table_.num_rows; }

  // Blocks while the disk does: for threads that may. Reads the rows that
  // `order` names, indices into places.rows, in ascending order of rows.
  // Requires them below num_rows() and room for each. Twice through them: at
  // first what the page cache has, which sets the disk to work on all the rest
  // at once, then that. Errors name path and row: ABORTED when the disk fails,
  // for it may not the next time, or elsewhere; DATA_LOSS when the file has
  // become shorter; CANCELLED between two reads.
  absl::StatusOr<RowReadCounts> Read(const RowPlaces& places,
                                     absl::Span<const uint32_t> order,
                                     const CancelToken& cancel) const;

 private:
  class Reading;

  const UniqueFd fd_;
  const std::string path_;
  const Table table_;
  // False once the file system has said that it cannot tell.
  mutable std::atomic<bool> cache_can_tell_{true};
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_ROW_FILE_H_
