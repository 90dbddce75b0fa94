#include "partition/pipeline/partitioners/ldg/bucket_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "common/io/path_error.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr uint64_t kReportEvery = uint64_t{1} << 22;  // rows

// Divides by a constant that is only known at run time. Exact for numerators
// below 2^32 and for wider ones by the division that it replaces.
class Divider {
 public:
  explicit Divider(uint64_t divisor)
      : divisor_(divisor), inverse_(UINT64_MAX / divisor + 1) {}
  uint64_t operator()(uint64_t n) const {
    if (n > UINT32_MAX || divisor_ > UINT32_MAX || divisor_ == 1) {
      return n / divisor_;
    }
    return static_cast<uint64_t>(
        (static_cast<unsigned __int128>(inverse_) * n) >> 64);
  }

 private:
  const uint64_t divisor_;
  const uint64_t inverse_;  // ceil(2^64 / divisor)
};

}  // namespace

BucketWriter::BucketWriter(const GraphSource& graph, const JointNodes& nodes,
                           const PartitionContext& context,
                           const EdgeBuckets& buckets, size_t buffer_pairs)
    : graph_(graph),
      nodes_(nodes),
      context_(context),
      buckets_(buckets),
      buffer_pairs_(buffer_pairs),
      bytes_(buckets.size()),
      num_rows_(NumRowsRead(graph)) {}

absl::Status BucketWriter::OpenFiles() {
  for (size_t b = 0; b < buckets_.size(); ++b) {
    const std::string path = buckets_.PathOf(b);
    UniqueFd file(
        open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file.valid()) return PathError(path, "create");
    files_.push_back(std::move(file));
  }
  return absl::OkStatus();
}

bool BucketWriter::NextPiece(Piece& piece, size_t& number) {
  MutexLock lock(mutex_);
  if (failed_piece_ != SIZE_MAX) return false;
  while (type_ < graph_.edge_types.size()) {
    const EdgeSource& edges = graph_.edge_types[type_];
    if (IsRead(edges) && row_ < edges.num_rows()) {
      piece = {&edges, row_, std::min(kRowsAtOnce, edges.num_rows() - row_)};
      row_ += piece.count;
      number = num_pieces_++;
      const uint64_t before = rows_taken_;
      rows_taken_ += static_cast<uint64_t>(piece.count);
      if (before / kReportEvery != rows_taken_ / kReportEvery) {
        context_.Report("distributes the edges", rows_taken_, num_rows_);
      }
      return true;
    }
    ++type_;
    row_ = 0;
  }
  return false;
}

void BucketWriter::Fail(size_t piece, absl::Status status) {
  MutexLock lock(mutex_);
  if (piece >= failed_piece_) return;
  failed_piece_ = piece;
  status_ = std::move(status);
}

template <typename Id>
absl::Status BucketWriter::Append(size_t bucket,
                                  absl::Span<const EndPair<Id>> pairs) {
  const auto* data = reinterpret_cast<const uint8_t*>(pairs.data());
  size_t left = pairs.size() * sizeof(EndPair<Id>);
  uint64_t offset = bytes_[bucket].fetch_add(left, std::memory_order_relaxed);
  while (left > 0) {
    const ssize_t n =
        pwrite(files_[bucket].get(), data, left, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return PathError(buckets_.PathOf(bucket), "write");
    data += n;
    left -= static_cast<size_t>(n);
    offset += static_cast<uint64_t>(n);
  }
  return absl::OkStatus();
}

template <typename Id>
absl::Status BucketWriter::WritePieces() {
  std::vector<EndPair<Id>> buffers(buckets_.size() * buffer_pairs_);
  std::vector<size_t> used(buckets_.size(), 0);
  JointEnds ends(graph_, nodes_);
  const Divider bucket_of(buckets_.width());
  Piece piece;
  size_t number = 0;
  while (NextPiece(piece, number)) {
    absl::Status status = ends.Read(*piece.edges, piece.begin, piece.count);
    const auto count = static_cast<size_t>(piece.count);
    for (size_t i = 0; status.ok() && i < count; ++i) {
      const uint64_t u = ends.from()[i], v = ends.to()[i];
      if (u == v) continue;
      const uint64_t larger = std::max(u, v);
      const size_t bucket = bucket_of(larger);
      EndPair<Id>* buffer = &buffers[bucket * buffer_pairs_];
      buffer[used[bucket]++] = {static_cast<Id>(larger),
                                static_cast<Id>(std::min(u, v))};
      if (used[bucket] < buffer_pairs_) continue;
      used[bucket] = 0;
      status = Append<Id>(bucket, {buffer, buffer_pairs_});
    }
    if (!status.ok()) Fail(number, std::move(status));
  }
  for (size_t b = 0; b < buckets_.size(); ++b) {
    RETURN_IF_ERROR(Append<Id>(b, {&buffers[b * buffer_pairs_], used[b]}));
  }
  return absl::OkStatus();
}

void BucketWriter::Work() {
  absl::Status status =
      buckets_.wide() ? WritePieces<uint64_t>() : WritePieces<uint32_t>();
  if (!status.ok()) Fail(SIZE_MAX - 1, std::move(status));
}

absl::Status BucketWriter::Run(std::vector<uint64_t>& num_pairs) {
  RETURN_IF_ERROR(OpenFiles());
  std::vector<std::thread> threads;
  for (int i = 1; i < context_.num_threads(); ++i) {
    threads.emplace_back([this] { Work(); });
  }
  Work();
  for (std::thread& thread : threads) thread.join();
  const size_t pair_bytes = buckets_.wide() ? 16 : 8;
  num_pairs.clear();
  for (const auto& bytes : bytes_) num_pairs.push_back(bytes / pair_bytes);
  MutexLock lock(mutex_);
  return status_;
}

}  // namespace tributary
