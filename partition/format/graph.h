// A graph on disk, mapped for reading: all of it or some of its partitions.
#ifndef TRIBUTARY_PARTITION_FORMAT_GRAPH_H_
#define TRIBUTARY_PARTITION_FORMAT_GRAPH_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "partition/format/node_map.h"
#include "partition/format/row_file.h"
#include "partition/schema/feature_memory.h"
#include "partition/schema/schema.h"

namespace tributary {

// Unsigned integers stored in 32 bits where all fit, else in 64.
class IdArray {
 public:
  IdArray() = default;
  explicit IdArray(absl::Span<const uint32_t> ids)
      : data_(ids.data()), size_(ids.size()), wide_(false) {}
  explicit IdArray(absl::Span<const uint64_t> ids)
      : data_(ids.data()), size_(ids.size()), wide_(true) {}

  size_t size() const { return size_; }
  bool wide() const { return wide_; }
  uint64_t operator[](size_t i) const {
    return wide_ ? static_cast<const uint64_t*>(data_)[i]
                 : static_cast<const uint32_t*>(data_)[i];
  }
  // Requires !wide() or wide(), as asked: for loops without a branch.
  absl::Span<const uint32_t> narrow_span() const {
    return {static_cast<const uint32_t*>(data_), size_};
  }
  absl::Span<const uint64_t> wide_span() const {
    return {static_cast<const uint64_t*>(data_), size_};
  }

 private:
  const void* data_ = nullptr;
  size_t size_ = 0;
  bool wide_ = false;
};

// The nodes of one type in one partition; row = internal id - base.
struct NodePartition {
  absl::Span<const int64_t> orig_id;  // [rows], ascending
  absl::Span<const uint8_t> x;        // [rows * row_bytes], or empty
  absl::Span<const uint8_t> y;
  absl::Span<const int64_t> time;  // [rows], or empty
  // Where x is read from and not mapped: x is empty then. Else null.
  const RowFile* x_file = nullptr;
};

// The in-edges of every row, ascending by (time, canonical position). Empty
// where the edge type has no such time.
struct TimeOrder {
  absl::Span<const int64_t> time;  // [edges], ascending within a row
  IdArray position;  // [edges] within the row: canonical position of each rank
};

// The edges of one type whose destination lies in one partition, by
// destination row; each row's edges in canonical order (neighbour's original
// id, then edge id).
struct EdgePartition {
  absl::Span<const uint64_t> indptr;    // [rows + 1]
  IdArray indices;                      // [edges] internal ids of sources
  IdArray edge_id;                      // [edges]
  absl::Span<const uint8_t> edge_attr;  // [edges * row_bytes], or empty
  // float32 or float64, as the schema says: the user's; or empty.
  absl::Span<const uint8_t> weight;
  // [edges]: per row, the sum of the integer weights of positions 0..p,
  // inclusive (see docs/graph-format.md), so that a row's mass is its last
  // sum; or empty.
  absl::Span<const uint64_t> weight_sum;
  TimeOrder edge_time;      // of the edges' own times
  TimeOrder neighbor_time;  // of the sources' node times
  IdArray neighbor_id;      // [edges] sources' original ids; or empty
  // As the schema's names: [edges] each, 0 or 1.
  std::vector<absl::Span<const uint8_t>> masks;
  // Where batches' rows of edge_attr are read from, or null. It is mapped all
  // the same, for draws that look at single values of it.
  const RowFile* edge_attr_file = nullptr;
};

// How many edges of one type each node has, by original id.
struct DegreeArrays {
  IdArray in;   // [nodes of the destination type]
  IdArray out;  // [nodes of the source type]
};

struct OpenOptions {
  std::vector<uint32_t> partitions;  // to map; empty: all
  bool verify = false;               // read every byte and check its CRC32C
  FeatureMemory features = FeatureMemory::kResident;
  // Bytes that the arrays may take, unless features are resident.
  uint64_t memory = UINT64_MAX;
  // Asked before each array, and while bytes are checked; true: go no further.
  std::function<bool()> cancelled = [] { return false; };
};

// Immutable and thread-safe. Open checks graph.json, every mapped file's
// length and header, and that indptr is ascending and in range; what it cannot
// check without reading all (indices) is checked where it is used.
class Graph {
 public:
  // NOT_FOUND, DATA_LOSS or INVALID_ARGUMENT, naming the file;
  // FAILED_PRECONDITION when what must be in memory does not fit; CANCELLED.
  static absl::StatusOr<std::shared_ptr<const Graph>> Open(
      const std::string& folder, const OpenOptions& options = {});
  virtual ~Graph() = default;

  virtual const GraphSchema& schema() const = 0;
  // What servers tell of it: graph.json without its list of files, which grows
  // with partitions and types and which nobody but the folder's reader needs.
  virtual const std::string& schema_json() const = 0;
  // The partitions that are mapped, ascending.
  virtual const std::vector<uint32_t>& partitions() const = 0;
  // True when x and edge_attr are read from their files.
  virtual bool reads_features() const { return false; }
  // Null when the partition is not mapped.
  virtual const NodePartition* nodes(int node_type,
                                     uint32_t partition) const = 0;
  virtual const EdgePartition* edges(int edge_type,
                                     uint32_t partition) const = 0;
  // Every type's, whatever partitions are mapped.
  virtual const NodeMap& node_map(int node_type) const = 0;
  // Whatever partitions are mapped; null where the graph stores none.
  virtual const DegreeArrays* degrees(int edge_type) const {
    (void)edge_type;
    return nullptr;
  }
  // Original ids in file order. `name` is "train" or "SCHEME/train";
  // NOT_FOUND lists the names there are; INVALID_ARGUMENT when several schemes
  // have it.
  virtual absl::StatusOr<absl::Span<const int64_t>> Split(
      int node_type, std::string_view name) const = 0;
  // The same of a split of edges: source, destination (original ids) and edge
  // id, -1 where the graph has no such edge, for each edge.
  virtual absl::StatusOr<absl::Span<const int64_t>> EdgeSplit(
      int edge_type, std::string_view name) const {
    const auto at =
        schema().FindSplit(schema().edge_types[edge_type].name(), name);
    if (!at.ok()) return at.status();
    return absl::UnimplementedError("this graph stores no splits of edges");
  }
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_GRAPH_H_
