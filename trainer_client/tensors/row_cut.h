// Cuts a list of rows into requests to the members that hold them.
#ifndef TRIBUTARY_TRAINER_CLIENT_TENSORS_ROW_CUT_H_
#define TRIBUTARY_TRAINER_CLIENT_TENSORS_ROW_CUT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "trainer_client/tensors/tensor_client.h"

namespace tributary {

// The bytes that a request or a reply aims at. Small enough to overlap the
// network with the copies at both ends; a single row may be larger.
inline constexpr size_t kPieceBytes = size_t{1} << 19;

// Rows of one request.
struct MemberPiece {
  uint32_t member = 0;              // of the attempt
  std::vector<uint32_t> positions;  // in the list of rows, ascending
};

// Returns OUT_OF_RANGE, with the place and the row, unless all rows are of the
// tensor; RESOURCE_EXHAUSTED for 2^32 rows or more.
absl::Status CheckRows(const TensorInfo& tensor,
                       absl::Span<const int64_t> rows);

// Returns the rows by member, each member's in the order of the list, in pieces
// of at most `max_bytes` at `bytes_per_row`, but of at least one row. Requires
// rows that CheckRows has passed.
std::vector<MemberPiece> CutByMember(const TensorInfo& tensor,
                                     absl::Span<const int64_t> rows,
                                     size_t bytes_per_row,
                                     size_t max_bytes = kPieceBytes);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TENSORS_ROW_CUT_H_
