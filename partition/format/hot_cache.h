// The hot rows of other partitions that a server has in memory.
#ifndef TRIBUTARY_PARTITION_FORMAT_HOT_CACHE_H_
#define TRIBUTARY_PARTITION_FORMAT_HOT_CACHE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/io/buffer.h"
#include "partition/format/graph.h"
#include "partition/format/row_set.h"

namespace tributary {

// Cached rows of one node type, in the order of their internal ids.
class HotNodes {
 public:
  // Returns the row of a node in the columns below; RowSet::kNone if it is not
  // cached.
  uint64_t Find(uint64_t internal_id) const { return rows_.Find(internal_id); }
  void Prefetch(uint64_t internal_id) const { rows_.Prefetch(internal_id); }

  // [rows] values or rows of bytes, as in NodePartition; x and y are empty if
  // the type has none.
  absl::Span<const uint8_t> orig_id() const { return orig_id_.span(); }
  absl::Span<const uint8_t> x() const { return x_.span(); }
  absl::Span<const uint8_t> y() const { return y_.span(); }
  uint64_t num_rows() const { return orig_id_.size() / sizeof(int64_t); }

 private:
  friend class HotCacheLoader;
  RowSet rows_;
  AlignedBuffer orig_id_, x_, y_;
};

// Rows of nodes that are not in the graph's mapped partitions, from the caches
// of those partitions. A copy in memory, with the bytes that the owners of the
// rows have. Immutable and thread-safe.
class HotCache {
 public:
  // Reads the caches of the graph's mapped partitions from its folder, and
  // checks every CRC32C and every id. Rows that several caches have are kept
  // once; those that a mapped partition has, not at all. Returns null if the
  // folder has no cache, or no partition is missing here. Errors as
  // ReadHotManifest; DATA_LOSS or NOT_FOUND, naming the file; CANCELLED.
  static absl::StatusOr<std::shared_ptr<const HotCache>> Open(
      const std::string& folder, const Graph& graph,
      const std::function<bool()>& cancelled = [] { return false; });

  // Returns the rows of a type; null if there are none.
  const HotNodes* nodes(int node_type) const { return nodes_[node_type].get(); }
  uint64_t num_rows() const;
  // Returns the bytes of memory that it takes.
  uint64_t bytes() const { return bytes_; }

 private:
  friend class HotCacheLoader;
  std::vector<std::unique_ptr<HotNodes>> nodes_;  // by node type
  uint64_t bytes_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_HOT_CACHE_H_
