// Distributes edges to the files of EdgeBuckets.
#ifndef TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_LDG_BUCKET_WRITER_H_
#define TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_LDG_BUCKET_WRITER_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/io/unique_fd.h"
#include "common/runtime/mutex.h"
#include "partition/pipeline/partitioners/ldg/edge_buckets.h"

namespace tributary {

// Writes the pairs of a graph with several threads, each with a buffer for
// every bucket; a full one is written where its bucket's file ends then.
class BucketWriter {
 public:
  // All must outlive the writer. Each buffer has `buffer_pairs` pairs.
  BucketWriter(const GraphSource& graph, const JointNodes& nodes,
               const PartitionContext& context, const EdgeBuckets& buckets,
               size_t buffer_pairs);

  // Creates or empties the files and writes all pairs. Sets `num_pairs`. Once.
  absl::Status Run(std::vector<uint64_t>& num_pairs);

 private:
  struct Piece {  // rows of an edge type
    const EdgeSource* edges;
    int64_t begin, count;
  };
  absl::Status OpenFiles();
  void Work();
  template <typename Id>
  absl::Status WritePieces();
  template <typename Id>
  absl::Status Append(size_t bucket, absl::Span<const EndPair<Id>> pairs);
  bool NextPiece(Piece& piece, size_t& number);
  void Fail(size_t piece, absl::Status status);

  const GraphSource& graph_;
  const JointNodes& nodes_;
  const PartitionContext& context_;
  const EdgeBuckets& buckets_;
  const size_t buffer_pairs_;
  std::vector<UniqueFd> files_;
  std::vector<std::atomic<uint64_t>> bytes_;  // written to each bucket

  Mutex mutex_;
  size_t type_ ABSL_GUARDED_BY(mutex_) = 0;  // of the next piece
  int64_t row_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t num_pieces_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t rows_taken_ ABSL_GUARDED_BY(mutex_) = 0;
  const uint64_t num_rows_;
  // The error of the first piece that failed, by number.
  size_t failed_piece_ ABSL_GUARDED_BY(mutex_) = SIZE_MAX;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_LDG_BUCKET_WRITER_H_
