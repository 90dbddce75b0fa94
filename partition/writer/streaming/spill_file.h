// A file of records that are read back by bucket.
#ifndef TRIBUTARY_PARTITION_WRITER_STREAMING_SPILL_FILE_H_
#define TRIBUTARY_PARTITION_WRITER_STREAMING_SPILL_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/io/unique_fd.h"
#include "common/runtime/mutex.h"

namespace tributary {

// One file for all buckets of an edge type, written in blocks that each belong
// to one bucket, so that a graph of many types and ranges needs few files. The
// index of the blocks, written at the end, makes the file complete.
class SpillWriter {
 public:
  // Replaces an incomplete file of an earlier run.
  static absl::StatusOr<std::unique_ptr<SpillWriter>> Create(
      const std::string& path, size_t num_buckets);

  // Appends a block of records to a bucket. Thread-safe. RESOURCE_EXHAUSTED if
  // the disk is full.
  absl::Status Append(size_t bucket, absl::Span<const uint8_t> block);
  // Makes the file complete.
  absl::Status Finish();

 private:
  friend class SpillReader;
  struct Block {
    uint64_t bucket, offset, bytes;
  };
  SpillWriter(std::string path, UniqueFd fd, size_t num_buckets)
      : path_(std::move(path)), fd_(std::move(fd)), num_buckets_(num_buckets) {}

  const std::string path_;
  const UniqueFd fd_;
  const size_t num_buckets_;
  Mutex mutex_;
  uint64_t end_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<Block> blocks_ ABSL_GUARDED_BY(mutex_);
};

// Reads a complete file. Immutable; thread-safe.
class SpillReader {
 public:
  // Returns whether an earlier run has completed the file.
  static bool IsComplete(const std::string& path);
  // DATA_LOSS if index and file do not match.
  static absl::StatusOr<SpillReader> Open(const std::string& path);

  size_t num_buckets() const { return buckets_.size(); }
  uint64_t bucket_bytes(size_t bucket) const;
  // Returns the bytes of a bucket; the order of its blocks is that of the file.
  absl::StatusOr<std::vector<uint8_t>> Read(size_t bucket) const;

 private:
  struct Extent {
    uint64_t offset, bytes;
  };

  std::string path_;
  UniqueFd fd_;
  std::vector<std::vector<Extent>> buckets_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_STREAMING_SPILL_FILE_H_
