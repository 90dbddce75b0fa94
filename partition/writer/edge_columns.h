// Weights and times of the in-edges at a range of positions.
#ifndef TRIBUTARY_PARTITION_WRITER_EDGE_COLUMNS_H_
#define TRIBUTARY_PARTITION_WRITER_EDGE_COLUMNS_H_

#include <cstdint>
#include <vector>

#include "partition/writer/content.h"

namespace tributary {

// Each replaces `out` by the values at positions [begin, end) of in_edges, and
// takes no other memory that grows with them. Require the column, of a content
// that CheckContent passes.

// As float64, which holds float32 exactly.
void ReadWeights(const EdgeContent& edges, uint64_t begin, uint64_t end,
                 std::vector<double>& out);
void ReadTimes(const EdgeContent& edges, uint64_t begin, uint64_t end,
               std::vector<int64_t>& out);
// Of the edges' sources; `node_time` is the source type's.
void ReadNeighborTimes(const EdgeContent& edges, const RowSource& node_time,
                       uint64_t begin, uint64_t end, std::vector<int64_t>& out);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_EDGE_COLUMNS_H_
