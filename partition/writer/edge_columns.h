// Reads weights and times of in-edges by position.
#ifndef TRIBUTARY_PARTITION_WRITER_EDGE_COLUMNS_H_
#define TRIBUTARY_PARTITION_WRITER_EDGE_COLUMNS_H_

#include <cstdint>
#include <vector>

#include "partition/writer/content.h"

namespace tributary {

// Each function replaces `out` by the values at positions [begin, end) of
// in_edges and takes no other memory that grows with them. They require that
// the column exists and that CheckContent passes.

// Returns weights as float64, which represents float32 exactly.
void ReadWeights(const EdgeContent& edges, uint64_t begin, uint64_t end,
                 std::vector<double>& out);
void ReadTimes(const EdgeContent& edges, uint64_t begin, uint64_t end,
               std::vector<int64_t>& out);
// Returns the times of the edges' sources; `node_time` is the column of the
// source type.
void ReadNeighborTimes(const EdgeContent& edges, const RowSource& node_time,
                       uint64_t begin, uint64_t end, std::vector<int64_t>& out);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_EDGE_COLUMNS_H_
