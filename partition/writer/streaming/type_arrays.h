// The arrays that the pass over a node type writes.
#ifndef TRIBUTARY_PARTITION_WRITER_STREAMING_TYPE_ARRAYS_H_
#define TRIBUTARY_PARTITION_WRITER_STREAMING_TYPE_ARRAYS_H_

#include <cstdint>
#include <vector>

#include "partition/schema/schema.h"
#include "partition/writer/streaming/output_files.h"

namespace tributary {

// A place in TypeArrays::arrays that partition p's array has at first + p, or
// none.
struct ArrayPlace {
  static constexpr size_t kNone = SIZE_MAX;
  size_t first = kNone;

  explicit operator bool() const { return first != kNone; }
  size_t of(uint32_t partition) const { return first + partition; }
};

// The arrays of an edge type that ends in the node type.
struct EdgeArrays {
  int edge_type = 0;  // index in the schema
  ArrayPlace indptr, indices, edge_id, neighbor_id;
  ArrayPlace edge_attr, weight, weight_sum;
  ArrayPlace edge_time, edge_time_position;
  std::vector<ArrayPlace> masks;  // by name
  ArrayPlace neighbor_time, neighbor_time_position;
  ArrayPlace in_degrees;  // one array
  bool wide_indices = false, wide_ids = false, wide_degrees = false;
  std::vector<bool> wide_positions;  // by partition
};

// All arrays of a node type and of the edge types that end in it.
struct TypeArrays {
  std::vector<OutputArray> arrays;
  ArrayPlace orig_id, x, y, time;
  std::vector<EdgeArrays> edges;  // in the order of the schema
};

// Lists the arrays that docs/graph-format.md defines. `schema` has base and
// partition_edges; edge_ids[type] is the largest edge id + 1.
TypeArrays ListTypeArrays(const GraphSchema& schema, int node_type,
                          const std::vector<int64_t>& edge_ids);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_STREAMING_TYPE_ARRAYS_H_
