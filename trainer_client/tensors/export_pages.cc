#include "trainer_client/tensors/export_pages.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "channel/parse_header.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// What a page without rows passes over (tensors.proto).
constexpr uint64_t kLeastPassed = uint64_t{1} << 20;

}  // namespace

absl::Status CheckProgress(const v1::ExportRowsReply& page, uint64_t cursor,
                           uint64_t num_rows) {
  if (page.done()) return absl::OkStatus();
  const uint64_t least = page.num_rows() > 0 ? 1 : kLeastPassed;
  const uint64_t next = page.next_cursor();
  if (next > cursor && next - cursor >= least && next < num_rows) {
    return absl::OkStatus();
  }
  return absl::InternalError(absl::StrCat(
      "a page of ", page.num_rows(), " exported rows leads from row ", cursor,
      " to ", next, " of ", num_rows, ", and is not the last"));
}

ExportPages::ExportPages(std::shared_ptr<TensorClient> client,
                         std::shared_ptr<const TensorInfo> tensor,
                         const std::vector<SnapshotColumn>& columns,
                         uint32_t member, size_t page_bytes)
    : client_(std::move(client)),
      tensor_(std::move(tensor)),
      member_(member),
      page_bytes_(page_bytes) {
  for (const SnapshotColumn& column : columns) {
    row_bytes_.push_back(column.row_bytes());
    bytes_per_row_ += column.row_bytes();
  }
}

absl::Status ExportPages::Fill() {
  while (position_ == rows_.size() && !ended_) RETURN_IF_ERROR(Read());
  return absl::OkStatus();
}

absl::Status ExportPages::Read() {
  v1::ExportRowsRequest request;
  *request.mutable_attempt() = client_->ref();
  request.set_name(tensor_->spec.name());
  request.set_cursor(cursor_);
  request.set_with_state(true);
  request.set_after_round(client_->closed_rounds());
  request.set_max_reply_bytes(std::max(page_bytes_, bytes_per_row_));
  request.set_timeout_ms(client_->ServerTimeoutMs());
  auto replies =
      client_->CallEach({{member_,
                          {.kind = MessageKind::kExportRowsRequest,
                           .reply = MessageKind::kExportRowsReply,
                           .header = request.SerializeAsString(),
                           .max_reply_bytes = request.max_reply_bytes(),
                           .deadline = client_->Deadline()}}});
  RETURN_IF_ERROR(replies[0].status());
  ASSIGN_OR_RETURN(const auto told, ParseReplyHeader<v1::ExportRowsReply>(
                                        replies[0]->kind, replies[0]->header));
  page_ = std::move(replies[0]->payload);
  const std::string& address = client_->members()[member_].address;
  if (page_.size() % bytes_per_row_ != 0 ||
      page_.size() / bytes_per_row_ != told.num_rows()) {
    return absl::InternalError(
        absl::StrCat(address, ": a page of ", told.num_rows(),
                     " exported rows has ", page_.size(), " bytes"));
  }
  const absl::Status progress =
      CheckProgress(told, cursor_, tensor_->spec.num_rows());
  if (!progress.ok()) {
    return absl::InternalError(absl::StrCat(address, ": ", progress.message()));
  }
  rows_.resize(told.num_rows());
  if (!rows_.empty()) {
    std::memcpy(rows_.data(), page_.data(), rows_.size() * sizeof(uint64_t));
  }
  position_ = 0;
  cursor_ = told.next_cursor();
  ended_ = told.done();
  RETURN_IF_ERROR(Check(next_));
  if (!rows_.empty()) next_ = rows_.back() + 1;
  return absl::OkStatus();
}

absl::Status ExportPages::Check(uint64_t least) const {
  for (const uint64_t row : rows_) {
    if (row < least || row >= tensor_->spec.num_rows() ||
        tensor_->member_of[tensor_->placement.MemberOf(row)] != member_) {
      return absl::InternalError(
          absl::StrCat(client_->members()[member_].address, " exports row ",
                       row, " of tensor '", tensor_->spec.name(),
                       "', which is not its own or not in order"));
    }
    least = row + 1;
  }
  return absl::OkStatus();
}

absl::Span<const uint8_t> ExportPages::Column(size_t column,
                                              size_t count) const {
  size_t offset = 0;
  for (size_t c = 0; c < column; ++c) offset += row_bytes_[c] * rows_.size();
  return page_.span().subspan(offset + position_ * row_bytes_[column],
                              count * row_bytes_[column]);
}

}  // namespace tributary
