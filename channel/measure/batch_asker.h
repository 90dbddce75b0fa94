// The near end of measured hand-overs: asks for batches as a trainer does.
#ifndef TRIBUTARY_CHANNEL_MEASURE_BATCH_ASKER_H_
#define TRIBUTARY_CHANNEL_MEASURE_BATCH_ASKER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "channel/frame_assembler.h"
#include "channel/transport.h"
#include "common/runtime/mutex.h"

namespace tributary {

// What is asked for at a time.
struct BatchesAsked {
  int batches = 1;
  size_t bytes = 0;  // each; at least a BatchStamp
  int ahead = 1;     // credits on their way at once
};

struct BatchesArrived {
  double seconds = 0;  // from the first credit to the last batch
  // Of each batch, from its stamp to the handler that has all of it.
  std::vector<int64_t> handover_ns;
};

// Receives from a BatchFiller over one stream, each batch into the next part
// of its memory and round again: grant g is in part g % (memory / bytes). The
// handler's calls are the stream's; Receive is for one thread at a time.
class BatchAsker final : public StreamHandler {
 public:
  // `memory` outlives the stream. `lend`: parts of it go beside the credits as
  // rooms, which the other end fills where the transport can carry them.
  BatchAsker(absl::Span<uint8_t> memory, bool lend)
      : memory_(memory), lend_(lend) {}
  // Once, before Receive.
  void Start(std::shared_ptr<Stream> stream);
  // Fails as the stream does, and with DEADLINE_EXCEEDED after 60 s. DATA_LOSS:
  // what came is not what was asked for. INVALID_ARGUMENT: no batches, or more
  // of them at once than `memory` has parts.
  absl::StatusOr<BatchesArrived> Receive(const BatchesAsked& asked);

  void OnMessage(IncomingMessage& message) override;
  void OnClosed(const absl::Status& why) override;

 private:
  absl::Status Check(const BatchesAsked& asked) const;
  // To be sent without the lock; none when all have been asked for.
  std::optional<OutgoingMessage> NextCredit()
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Span<uint8_t> PartOf(uint64_t grant) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool AllCame() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsOpen(uint64_t grant) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Of the batch that `message` completes; 0: not yet one.
  absl::StatusOr<uint64_t> Take(IncomingMessage& message)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<uint64_t> TakeFrame(IncomingMessage& message)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Arrived(uint64_t grant) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void End(absl::Status why);

  const absl::Span<uint8_t> memory_;
  const bool lend_;

  Mutex mutex_;
  CondVar changed_;
  std::shared_ptr<Stream> stream_ ABSL_GUARDED_BY(mutex_);
  absl::Status ended_ ABSL_GUARDED_BY(mutex_);  // not OK: nothing more comes
  BatchesAsked asked_ ABSL_GUARDED_BY(mutex_);
  uint64_t first_grant_ ABSL_GUARDED_BY(mutex_) = 1;  // of what was asked last
  uint64_t next_grant_ ABSL_GUARDED_BY(mutex_) = 1;
  std::map<uint64_t, FrameAssembler> assemblers_ ABSL_GUARDED_BY(mutex_);
  std::vector<int64_t> handover_ns_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_MEASURE_BATCH_ASKER_H_
