// The edges of a range of nodes, sorted in memory.
#ifndef TRIBUTARY_PARTITION_WRITER_STREAMING_SORTED_EDGES_H_
#define TRIBUTARY_PARTITION_WRITER_STREAMING_SORTED_EDGES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "partition/writer/adjacency.h"
#include "partition/writer/streaming/edge_record.h"
#include "partition/writer/streaming/spill_file.h"

namespace tributary {

// Rows of in-edges of consecutive nodes in canonical order, with the edges'
// columns. Immutable.
class SortedEdges {
 public:
  // Reads and sorts a bucket of `num_nodes` nodes. With `dedupe` keeps, of
  // edges with the same ends, the one with the lowest id. DATA_LOSS if a record
  // does not fit.
  static absl::StatusOr<SortedEdges> Read(const SpillReader& spill,
                                          size_t bucket, int64_t num_nodes,
                                          const EdgeRecordForm& form,
                                          bool dedupe);
  // The bytes that Read takes at most for each edge.
  static uint64_t BytesPerEdge(const EdgeRecordForm& form);

  absl::Span<const uint64_t> indptr() const { return indptr_; }
  uint64_t num_edges() const { return indptr_.back(); }
  InEdge edge(uint64_t position) const {
    if (!narrow_.empty()) {
      const uint64_t packed = narrow_[position];
      return {static_cast<int64_t>(packed >> 32),
              static_cast<int64_t>(packed & 0xffffffff)};
    }
    const Wide packed = wide_[position];
    return {static_cast<int64_t>(packed >> 64),
            static_cast<int64_t>(static_cast<uint64_t>(packed))};
  }
  // Returns the rows of all columns of an edge, one after another.
  const uint8_t* columns(uint64_t position) const {
    return records_.data() + record_of_[position] * record_bytes_ + key_bytes_;
  }

 private:
  using Wide = unsigned __int128;
  template <typename Key>
  absl::Status Sort(std::vector<uint8_t> records, int64_t num_nodes,
                    const EdgeRecordForm& form, bool dedupe,
                    std::vector<Key>& keys);

  std::vector<uint64_t> indptr_;
  // Source and id of each edge; one of them is empty.
  std::vector<uint64_t> narrow_;
  std::vector<Wide> wide_;
  // If there are columns: the records as they were read, and those of edges.
  std::vector<uint8_t> records_;
  std::vector<uint32_t> record_of_;
  size_t record_bytes_ = 0, key_bytes_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_STREAMING_SORTED_EDGES_H_
