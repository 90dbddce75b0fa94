#include "trainer_client/tensors/row_cut.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {

absl::Status CheckRows(const TensorInfo& tensor,
                       absl::Span<const int64_t> rows) {
  if (rows.size() > UINT32_MAX) {
    return absl::ResourceExhaustedError(
        absl::StrCat(rows.size(), " rows in one call; at most ", UINT32_MAX));
  }
  const uint64_t num_rows = tensor.spec.num_rows();
  for (size_t i = 0; i < rows.size(); ++i) {
    // A negative row is a huge one.
    if (static_cast<uint64_t>(rows[i]) < num_rows) continue;
    return absl::OutOfRangeError(
        absl::StrCat("tensor '", tensor.spec.name(), "': row ", rows[i],
                     " at place ", i, "; allowed: 0 to ", num_rows - 1));
  }
  return absl::OkStatus();
}

std::vector<MemberPiece> CutByMember(const TensorInfo& tensor,
                                     absl::Span<const int64_t> rows,
                                     size_t bytes_per_row, size_t max_bytes) {
  const size_t max_rows = std::max<size_t>(1, max_bytes / bytes_per_row);
  std::vector<MemberPiece> pieces;
  // The piece that is being filled, by member of the placement.
  std::vector<MemberPiece> open(tensor.member_of.size());
  for (size_t m = 0; m < open.size(); ++m) {
    open[m].member = tensor.member_of[m];
    open[m].positions.reserve(
        std::min(max_rows, rows.size() / open.size() + 1));
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    MemberPiece& piece =
        open[tensor.placement.MemberOf(static_cast<uint64_t>(rows[i]))];
    piece.positions.push_back(static_cast<uint32_t>(i));
    if (piece.positions.size() < max_rows) continue;
    pieces.push_back(std::move(piece));
    piece = {.member = pieces.back().member};
  }
  for (MemberPiece& piece : open) {
    if (!piece.positions.empty()) pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace tributary
