#include "channel/frame_assembler.h"

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {

absl::Status FrameAssembler::Check(uint64_t offset, uint64_t total,
                                   uint64_t length) const {
  const char* what = nullptr;
  if (total == 0 || total > slot_.size()) {
    what = "its room is empty or larger than was granted";
  } else if (total_ != 0 && total != total_) {
    what = "its room changed size";
  } else if (offset != received_) {
    what = "it does not follow the frame before it";
  } else if (length == 0 || length > total - offset) {
    what = "it is empty or reaches beyond its room";
  }
  if (what == nullptr) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      "frame [", offset, ", ", offset, " + ", length, ") of ", total,
      " bytes: ", what, " (granted ", slot_.size(), ", received ", received_,
      total_ == 0 ? "" : absl::StrCat(" of ", total_), ")"));
}

absl::Status FrameAssembler::Add(uint64_t offset, uint64_t total,
                                 IncomingMessage& frame) {
  const size_t length = frame.payload_size();
  RETURN_IF_ERROR(Check(offset, total, length));
  RETURN_IF_ERROR(frame.CopyPayload(slot_.subspan(offset, length)));
  total_ = total;
  received_ += length;
  return absl::OkStatus();
}

}  // namespace tributary
