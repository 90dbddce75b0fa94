// Where a task puts the batch of one grant: the trainer's own slot, or a room
// within the grant's reservation.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANT_SINK_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANT_SINK_H_

#include <atomic>
#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "channel/message.h"
#include "common/io/buffer.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/byte_budget.h"
#include "sampler_server/engine/batch_task.h"

namespace tributary {

// A finished batch on its way out: its bytes stay reserved, and the server
// busy, until the transport has let go of it.
struct FilledRoom {
  AlignedBuffer buffer;
  Reservation reservation;
  std::shared_ptr<const void> hold;  // of Activity
};

// What came of a task.
struct TaskEnd {
  enum class Kind { kReady, kNeeds, kFailed };
  Kind kind = Kind::kFailed;
  size_t bytes = 0;                         // kReady, kNeeds
  absl::Status why;                         // kFailed
  std::shared_ptr<FilledRoom> room;         // kReady without a SharedRoom; or
  std::shared_ptr<SharedRoom> shared_room;  // goes back with the answer
};

class GrantSink final : public BatchSink {
 public:
  // Shared with the stream, which reports it.
  using StageCell = std::atomic<v1::Stage>;
  struct Callbacks {
    absl::AnyInvocable<void(TaskEnd)> ended;  // at most once
    absl::AnyInvocable<void(bool)> waits;  // begins or ends, for a peer or disk
    // Last, once: the task is over, and writes no more.
    absl::AnyInvocable<void()> gone;
  };

  // `room` null: allocate, out of `reservation`.
  GrantSink(Reservation reservation, std::shared_ptr<SharedRoom> room,
            std::shared_ptr<const void> hold, std::shared_ptr<StageCell> stage,
            Callbacks callbacks);
  ~GrantSink() override;

  absl::Span<uint8_t> AllocateRoom(size_t bytes) override;
  void Ready(size_t bytes) override;
  void Needs(size_t bytes) override;
  void Failed(absl::Status why) override;
  void StageChanged(BatchStage stage) override;

 private:
  Reservation reservation_;
  const std::shared_ptr<SharedRoom> shared_room_;
  std::shared_ptr<const void> hold_;
  const std::shared_ptr<StageCell> stage_;
  Callbacks callbacks_;
  bool waits_ = false;
  AlignedBuffer buffer_;
  std::shared_ptr<FilledRoom> filled_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANT_SINK_H_
