// The edges of a type as they are spilled: ends, id and columns.
#ifndef TRIBUTARY_PARTITION_WRITER_STREAMING_EDGE_RECORD_H_
#define TRIBUTARY_PARTITION_WRITER_STREAMING_EDGE_RECORD_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "partition/source/graph_source.h"

namespace tributary {

// The form of the records of an edge type: the destination as an offset in its
// range (u32), source and id (u32 each, or u64 each), then one row of each
// column: edge_attr, weight, time, masks by name, as in the content digest.
struct EdgeRecordForm {
  bool wide = false;  // u64 sources and ids
  std::vector<ColumnPtr> columns;
  size_t column_bytes = 0;

  static EdgeRecordForm Of(const EdgeSource& edges, int64_t num_sources) {
    EdgeRecordForm form;
    constexpr int64_t kMost = std::numeric_limits<uint32_t>::max();
    const int64_t ids = edges.num_rows() * (edges.add_reverse ? 2 : 1);
    form.wide = num_sources > kMost || ids > kMost;
    const auto add = [&form](const ColumnPtr& column) {
      if (column == nullptr) return;
      form.columns.push_back(column);
      form.column_bytes += column->schema().row_bytes();
    };
    add(edges.edge_attr);
    add(edges.weight);
    add(edges.time);
    for (const auto& [name, column] : edges.masks) add(column);
    return form;
  }

  size_t key_bytes() const { return wide ? 20 : 12; }
  size_t record_bytes() const { return key_bytes() + column_bytes; }
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_STREAMING_EDGE_RECORD_H_
