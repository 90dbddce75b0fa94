#include "sampler_server/tensors/payload_rows.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/text/terminal_text.h"

namespace tributary {
namespace {

constexpr uint64_t kWorkPerRow = 10;

}  // namespace

absl::StatusOr<PayloadRows> PayloadRows::Begin(
    std::shared_ptr<TensorTable> table, absl::Span<const uint8_t> payload,
    uint64_t num_rows, size_t bytes_per_row) {
  const size_t each = sizeof(uint64_t) + bytes_per_row;
  if (num_rows != payload.size() / each || payload.size() % each != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("a payload of ", payload.size(), " bytes for ", num_rows,
                     " rows of tensor '", TerminalLine(table->shape().name),
                     "'; each takes ", each));
  }
  return PayloadRows(std::move(table),
                     payload.first(num_rows * sizeof(uint64_t)));
}

absl::StatusOr<bool> PayloadRows::Step(WorkSlice& slice) {
  if (numbers_.empty()) return true;
  const size_t count =
      slice.Fitting(numbers_.size() / sizeof(uint64_t), kWorkPerRow);
  const RowPlacement& placement = table_->placement();
  const uint64_t end = table_->shape().num_rows;
  const uint32_t member = table_->member();
  for (size_t i = 0; i < count; ++i) {
    uint64_t row;
    std::memcpy(&row, numbers_.data() + i * sizeof(row), sizeof(row));
    if (row >= end || placement.MemberOf(row) != member) return Refusal(row);
    rows_.push_back(placement.LocalRow(row));
  }
  slice.Spend(count * kWorkPerRow);
  numbers_.remove_prefix(count * sizeof(uint64_t));
  return numbers_.empty();
}

absl::Status PayloadRows::Refusal(uint64_t row) const {
  const RowPlacement& placement = table_->placement();
  const uint64_t end = table_->shape().num_rows;
  if (row >= end) {
    return absl::OutOfRangeError(absl::StrCat(
        "row ", row, " of tensor '", TerminalLine(table_->shape().name),
        "'; allowed: 0 to ", end - 1));
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "row ", row, " of tensor '", TerminalLine(table_->shape().name),
      "' is on ", placement.members()[placement.MemberOf(row)].address,
      ", not on this server"));
}

}  // namespace tributary
