#include "sampler_server/service/grant_sink.h"

#include <utility>

#include "common/runtime/fault_point.h"

namespace tributary {

GrantSink::GrantSink(Reservation reservation, std::shared_ptr<SharedRoom> room,
                     std::shared_ptr<const void> hold,
                     std::shared_ptr<StageCell> stage, Callbacks callbacks)
    : reservation_(std::move(reservation)),
      shared_room_(std::move(room)),
      hold_(std::move(hold)),
      stage_(std::move(stage)),
      callbacks_(std::move(callbacks)) {}

// The task has let go, so its working memory is free: only the room stays
// reserved.
GrantSink::~GrantSink() {
  if (filled_ != nullptr) {
    filled_->reservation.ShrinkTo(filled_->buffer.size());
    filled_.reset();
  }
  reservation_.Release();
  callbacks_.gone();
}

absl::Span<uint8_t> GrantSink::AllocateRoom(size_t bytes) {
  CrashPoint("batch.gather");
  if (shared_room_ != nullptr) return shared_room_->bytes().first(bytes);
  buffer_ = AlignedBuffer(bytes);
  return buffer_.span();
}

void GrantSink::Ready(size_t bytes) {
  CrashPoint("batch.filled");
  TaskEnd end{TaskEnd::Kind::kReady, bytes};
  end.shared_room = shared_room_;
  if (shared_room_ == nullptr) {
    filled_ = std::make_shared<FilledRoom>(FilledRoom{
        std::move(buffer_), std::move(reservation_), std::move(hold_)});
    end.room = filled_;
  }
  callbacks_.ended(std::move(end));
}

void GrantSink::Needs(size_t bytes) {
  callbacks_.ended({TaskEnd::Kind::kNeeds, bytes});
}

void GrantSink::Failed(absl::Status why) {
  callbacks_.ended({TaskEnd::Kind::kFailed, 0, std::move(why)});
}

void GrantSink::StageChanged(BatchStage stage) {
  const bool waits = stage == BatchStage::kWaitingForPeer ||
                     stage == BatchStage::kWaitingForDisk;
  if (std::exchange(waits_, waits) != waits) callbacks_.waits(waits);
  switch (stage) {
    case BatchStage::kSampling:
      stage_->store(v1::STAGE_SAMPLING);
      break;
    case BatchStage::kWaitingForPeer:
      stage_->store(v1::STAGE_WAITING_FOR_PEER);
      break;
    case BatchStage::kWaitingForDisk:
      stage_->store(v1::STAGE_WAITING_FOR_DISK);
      break;
    case BatchStage::kGathering:
      stage_->store(v1::STAGE_GATHERING);
      break;
  }
}

}  // namespace tributary
