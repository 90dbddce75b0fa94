// Receives what the task of one grant makes, and passes it to the stream.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_GRANT_SINK_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_GRANT_SINK_H_

#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/proto/wire.pb.h"
#include "sampler_server/engine/batch_task.h"
#include "sampler_server/service/grants/batch_room.h"
#include "sampler_server/service/grants/stage_times.h"

namespace tributary {

// The result of a task.
struct TaskEnd {
  enum class Kind { kReady, kNeeds, kFailed };
  Kind kind = Kind::kFailed;
  size_t bytes = 0;                 // kReady: of the batch; kNeeds: to ask for
  LeftOut left_out;                 // kReady
  absl::Status why;                 // kFailed
  std::shared_ptr<BatchRoom> room;  // kReady: the batch
};

// Owned by the task, which calls it on its strand; the destructor runs when the
// task, and every read that still wrote to the room, is over.
class GrantSink final : public BatchSink {
 public:
  // Called on the task's threads; they must only post.
  struct Callbacks {
    // The task has a result. At most once: not after a cancel.
    absl::AnyInvocable<void(TaskEnd)> ended;
    // The task begins (true) or ends (false) to wait for a peer or a disk.
    absl::AnyInvocable<void(bool)> waits;
    // The task is over and writes no more; its memory is released, but for the
    // room of a batch that is ready. Last, exactly once.
    absl::AnyInvocable<void()> gone;
  };

  // `hold` is that of the room: the server is busy until `gone` has returned.
  GrantSink(std::unique_ptr<BatchRoom> room, std::shared_ptr<const void> hold,
            std::shared_ptr<StageTimes> stages, Callbacks callbacks);
  ~GrantSink() override;

  absl::Span<uint8_t> AllocateRoom(size_t bytes) override;
  void Ready(size_t bytes, LeftOut left_out) override;
  void Needs(size_t bytes) override;
  void Failed(absl::Status why) override;
  void StageChanged(BatchStage stage) override;

 private:
  const std::shared_ptr<const void> hold_;
  std::shared_ptr<BatchRoom> room_;
  const std::shared_ptr<StageTimes> stages_;  // shared with the stream
  Callbacks callbacks_;
  bool waits_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_GRANT_SINK_H_
