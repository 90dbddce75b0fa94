#include "partition/format/row_file.h"

#include <fcntl.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/io/file_mapping.h"
#include "common/runtime/fault_point.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kMaxRowsPerRead = 64;
// Gaps of up to this many bytes between two rows are read too and discarded,
// which costs less than a further system call.
constexpr size_t kMaxGap = 1024;

}  // namespace

RowReadCounts& RowReadCounts::operator+=(const RowReadCounts& other) {
  rows += other.rows;
  bytes += other.bytes;
  reads += other.reads;
  waits += other.waits;
  return *this;
}

absl::StatusOr<std::unique_ptr<RowFile>> RowFile::Open(const std::string& path,
                                                       const Table& table) {
  ASSIGN_OR_RETURN(const int fd, OpenRegularFile(path));
  UniqueFd owner(fd);
  // Advice only, so errors are ignored: rows are far apart, and reading ahead
  // would be wasted.
  (void)posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
  return std::make_unique<RowFile>(std::move(owner), path, table);
}

// The state of one call of Read.
class RowFile::Reading {
 public:
  Reading(const RowFile& file, const RowPlaces& places,
          absl::Span<const uint32_t> order)
      : file_(file), places_(places), order_(order) {}

  absl::StatusOr<RowReadCounts> Run(const CancelToken& cancel) {
    RETURN_IF_ERROR(FaultPoint("rows.read"));
    RowReadCounts counts;
    std::vector<Extent> missing;
    for (size_t at = 0; at < order_.size();) {
      const Extent extent = ExtentAt(at);
      at += extent.num_rows;
      ++counts.reads;
      if (ReadFromCache(extent)) {
        Convert(extent);
      } else {
        missing.push_back(extent);
      }
    }
    for (const Extent& extent : missing) {
      if (cancel.cancelled()) {
        return absl::CancelledError(
            absl::StrCat("rows of ", file_.path_, " are no longer wanted"));
      }
      RETURN_IF_ERROR(ReadFromDisk(extent));
      Convert(extent);
    }
    counts.rows = order_.size();
    counts.bytes = order_.size() * row_bytes();
    counts.waits = missing.size();
    return counts;
  }

 private:
  // Rows that one system call reads, with the gaps between them.
  struct Extent {
    size_t first = 0;  // index into order_
    size_t num_rows = 0;
    uint64_t offset = 0;  // position in the file
    size_t bytes = 0;
  };
  // For each row, the gap before it and the row.
  using Vectors = std::array<iovec, 2 * kMaxRowsPerRead>;

  size_t row_bytes() const { return file_.table_.row_bytes; }
  uint64_t RowAt(size_t at) const { return places_.rows[order_[at]]; }

  Extent ExtentAt(size_t at) const {
    const uint64_t first = RowAt(at);
    uint64_t last = first;
    size_t n = 1;
    while (n < kMaxRowsPerRead && at + n < order_.size()) {
      const uint64_t next = RowAt(at + n);
      // A row that is asked for twice is read twice.
      if (next <= last || (next - last - 1) * row_bytes() > kMaxGap) break;
      last = next;
      ++n;
    }
    return {at, n, file_.table_.offset + first * row_bytes(),
            (last - first + 1) * row_bytes()};
  }

  size_t DestinationOf(uint32_t index) const {
    return places_.to.empty() ? index : places_.to[index];
  }

  // Sets `vectors` to the destinations of an extent's bytes, without the first
  // `skip`; returns how many there are.
  int SetDestinations(const Extent& extent, size_t skip, Vectors& vectors) {
    if (places_.convert != nullptr) {
      stored_.resize(std::max(stored_.size(), extent.bytes));
      vectors[0] = {stored_.data() + skip, extent.bytes - skip};
      return 1;
    }
    int n = 0;
    const auto add = [&](void* to, size_t bytes) {
      const size_t skipped = std::min(skip, bytes);
      skip -= skipped;
      if (skipped == bytes) return;
      vectors[n++] = {static_cast<uint8_t*>(to) + skipped, bytes - skipped};
    };
    uint64_t next = RowAt(extent.first);
    for (size_t i = 0; i < extent.num_rows; ++i) {
      const uint32_t index = order_[extent.first + i];
      const uint64_t row = places_.rows[index];
      add(gap_.data(), (row - next) * row_bytes());
      add(places_.out + DestinationOf(index) * row_bytes(), row_bytes());
      next = row + 1;
    }
    return n;
  }

  // Converts the rows of an extent that was read, if they are to be converted.
  void Convert(const Extent& extent) const {
    if (places_.convert == nullptr) return;
    const uint64_t first = RowAt(extent.first);
    for (size_t i = 0; i < extent.num_rows; ++i) {
      const uint32_t index = order_[extent.first + i];
      places_.convert(
          stored_.data() + (places_.rows[index] - first) * row_bytes(),
          places_.width, places_.out + DestinationOf(index) * places_.row_bytes,
          places_.scales + DestinationOf(index) * places_.scale_bytes);
    }
  }

  // Reads an extent from the page cache. Returns false if not all of it was
  // there; the kernel has then started to read it.
  bool ReadFromCache(const Extent& extent) {
    if (!file_.supports_nowait_.load(std::memory_order_relaxed)) return false;
    Vectors vectors;
    const int n = SetDestinations(extent, 0, vectors);
    const ssize_t got = preadv2(file_.fd_.get(), vectors.data(), n,
                                static_cast<off_t>(extent.offset), RWF_NOWAIT);
    if (got < 0 && (errno == EOPNOTSUPP || errno == EINVAL)) {
      file_.supports_nowait_.store(false, std::memory_order_relaxed);
    }
    return got == static_cast<ssize_t>(extent.bytes);
  }

  absl::Status ReadFromDisk(const Extent& extent) {
    Vectors vectors;
    for (size_t have = 0; have < extent.bytes;) {
      const int n = SetDestinations(extent, have, vectors);
      const ssize_t got = preadv(file_.fd_.get(), vectors.data(), n,
                                 static_cast<off_t>(extent.offset + have));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return DiskError(extent, have, errno);
      if (got == 0) return TooShort(extent, have);
      have += static_cast<size_t>(got);
    }
    return absl::OkStatus();
  }

  uint64_t FailedRow(const Extent& extent, size_t have) const {
    return (extent.offset + have - file_.table_.offset) / row_bytes();
  }
  absl::Status DiskError(const Extent& extent, size_t have, int error) const {
    return absl::AbortedError(
        absl::StrCat("cannot read row ", FailedRow(extent, have), " of ",
                     file_.path_, ": ", std::strerror(error)));
  }
  absl::Status TooShort(const Extent& extent, size_t have) const {
    return absl::DataLossError(absl::StrCat(
        file_.path_, " ends at byte ", extent.offset + have, ", before row ",
        FailedRow(extent, have), " of ", file_.table_.num_rows,
        ": it was cut while it is served; verify the graph"));
  }

  const RowFile& file_;
  const RowPlaces places_;
  const absl::Span<const uint32_t> order_;
  std::array<uint8_t, kMaxGap> gap_;  // discarded bytes
  std::vector<uint8_t> stored_;       // the extent's rows before conversion
};

absl::StatusOr<RowReadCounts> RowFile::Read(const RowPlaces& places,
                                            absl::Span<const uint32_t> order,
                                            const CancelToken& cancel) const {
  return Reading(*this, places, order).Run(cancel);
}

}  // namespace tributary
