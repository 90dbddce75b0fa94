#include "channel/frame_assembler.h"

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {

absl::Status FrameAssembler::Check(const Place& place, uint64_t length) const {
  const uint64_t end = received_ + skipped_;  // of the frames before
  const uint64_t left_out = place.left_out_bytes;
  const char* what = nullptr;
  if (place.total == 0 || place.total > slot_.size()) {
    what = "its room is empty or larger than was granted";
  } else if (total_ != 0 && (place.total != total_ || left_out != left_out_)) {
    what = "its room changed size";
  } else if (left_out >= place.total || (left_out != 0 && !may_leave_out_)) {
    what = "more is left out than the credit allows";
  } else if (place.offset < end || place.offset - end > left_out - skipped_ ||
             gaps_.size() == kMaxGaps) {
    what = "it does not follow the frame before it";
  } else if (length == 0 || length > place.total - place.offset ||
             received_ + length > place.total - left_out) {
    what = "it is empty or reaches beyond its room";
  }
  if (what == nullptr) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      "frame [", place.offset, ", ", place.offset, " + ", length, ") of ",
      place.total, " bytes: ", what, " (granted ", slot_.size(), ", received ",
      received_, total_ == 0 ? "" : absl::StrCat(" of ", total_),
      left_out == 0 ? "" : absl::StrCat(", left out ", left_out), ")"));
}

absl::Status FrameAssembler::Add(const Place& place, IncomingMessage& frame) {
  const size_t length = frame.payload_size();
  RETURN_IF_ERROR(Check(place, length));
  RETURN_IF_ERROR(frame.CopyPayload(slot_.subspan(place.offset, length)));
  const uint64_t end = received_ + skipped_;
  if (place.offset != end) gaps_.push_back({end, place.offset - end});
  skipped_ += place.offset - end;
  total_ = place.total;
  left_out_ = place.left_out_bytes;
  received_ += length;
  return absl::OkStatus();
}

absl::Span<uint8_t> FrameAssembler::RoomFor(const Place& place,
                                            uint64_t length) const {
  if (!Check(place, length).ok()) return {};
  return slot_.subspan(place.offset, length);
}

std::vector<BatchGap> FrameAssembler::TakeGaps() {
  if (skipped_ < left_out_) {  // the last one is at the end
    gaps_.push_back({received_ + skipped_, left_out_ - skipped_});
  }
  return std::move(gaps_);
}

}  // namespace tributary
