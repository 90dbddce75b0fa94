// The order in which rows lie in their file.
#ifndef TRIBUTARY_SAMPLER_SERVER_ROWS_ROW_ORDER_H_
#define TRIBUTARY_SAMPLER_SERVER_ROWS_ROW_ORDER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace tributary {

// Indices into `rows` such that rows[order[0]] <= rows[order[1]] <= ..., equal
// ones in the order given. A radix sort: linear in rows.size(), which is below
// 2^32; takes 8 bytes for each while it sorts.
std::vector<uint32_t> RowOrder(absl::Span<const uint64_t> rows);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ROWS_ROW_ORDER_H_
