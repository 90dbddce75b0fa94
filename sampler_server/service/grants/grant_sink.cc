#include "sampler_server/service/grants/grant_sink.h"

#include <utility>

#include "common/runtime/fault_point.h"

namespace tributary {

GrantSink::GrantSink(std::unique_ptr<BatchRoom> room,
                     std::shared_ptr<const void> hold,
                     std::shared_ptr<StageTimes> stages, Callbacks callbacks)
    : hold_(std::move(hold)),
      room_(std::move(room)),
      stages_(std::move(stages)),
      callbacks_(std::move(callbacks)) {}

GrantSink::~GrantSink() {
  room_->ReleaseWorkingMemory();
  room_.reset();
  callbacks_.gone();
}

absl::Span<uint8_t> GrantSink::AllocateRoom(size_t bytes) {
  CrashPoint("batch.gather");
  return room_->Allocate(bytes);
}

void GrantSink::Ready(size_t bytes, LeftOut left_out) {
  CrashPoint("batch.filled");
  callbacks_.ended({.kind = TaskEnd::Kind::kReady,
                    .bytes = bytes,
                    .left_out = std::move(left_out),
                    .room = room_});
}

void GrantSink::Needs(size_t bytes) {
  callbacks_.ended({.kind = TaskEnd::Kind::kNeeds, .bytes = bytes});
}

void GrantSink::Failed(absl::Status why) {
  callbacks_.ended({.kind = TaskEnd::Kind::kFailed, .why = std::move(why)});
}

void GrantSink::StageChanged(BatchStage stage) {
  const bool waits = stage == BatchStage::kWaitingForPeer ||
                     stage == BatchStage::kWaitingForDisk;
  if (std::exchange(waits_, waits) != waits) callbacks_.waits(waits);
  switch (stage) {
    case BatchStage::kSampling:
      stages_->Enter(v1::STAGE_SAMPLING);
      break;
    case BatchStage::kWaitingForPeer:
      stages_->Enter(v1::STAGE_WAITING_FOR_PEER);
      break;
    case BatchStage::kWaitingForDisk:
      stages_->Enter(v1::STAGE_WAITING_FOR_DISK);
      break;
    case BatchStage::kGathering:
      stages_->Enter(v1::STAGE_GATHERING);
      break;
  }
}

}  // namespace tributary
