// Sorts rows into the order in which they lie in their file.
#ifndef TRIBUTARY_SAMPLER_SERVER_ROWS_ROW_ORDER_H_
#define TRIBUTARY_SAMPLER_SERVER_ROWS_ROW_ORDER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace tributary {

// Returns the indices into `rows` such that rows[order[0]] <= rows[order[1]] <=
// ..., equal rows in the order given. A radix sort: linear in rows.size(),
// which must be below 2^32; takes 8 bytes for each row while it sorts.
std::vector<uint32_t> RowOrder(absl::Span<const uint64_t> rows);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ROWS_ROW_ORDER_H_
