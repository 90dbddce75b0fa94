// The receiving end of a measured channel: requests batches as a trainer does.
#ifndef TRIBUTARY_BENCHMARKS_LIB_MEASURE_BATCH_ASKER_H_
#define TRIBUTARY_BENCHMARKS_LIB_MEASURE_BATCH_ASKER_H_

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

// One series of requests.
struct BatchesAsked {
  int batches = 1;
  size_t bytes = 0;  // of each batch; at least sizeof(BatchStamp)
  int ahead = 1;     // unanswered credits at a time
};

struct BatchesArrived {
  double seconds = 0;  // from the first credit to the last batch
  // For each batch, the ns from its stamp until the handler has all of it.
  std::vector<int64_t> handover_ns;
};

// Receives batches from a BatchFiller over one stream, each into the next part
// of its memory, cyclically: grant g is in part g % (memory / bytes). OnMessage
// and OnClosed are called by the stream; one thread at a time may call Receive.
class BatchAsker final : public StreamHandler {
 public:
  // `memory` outlives the stream. `lend`: sends parts of it with the credits as
  // rooms, which the other end fills if the transport can carry them.
  BatchAsker(absl::Span<uint8_t> memory, bool lend)
      : memory_(memory), lend_(lend) {}
  // Sets the stream. Call once, before Receive.
  void Start(std::shared_ptr<Stream> stream);
  // Requests the batches and waits for all of them. Returns the stream's error,
  // DEADLINE_EXCEEDED after 60 s, DATA_LOSS if other batches arrive than were
  // requested, or INVALID_ARGUMENT if no batches are requested or more at a
  // time than `memory` has parts.
  absl::StatusOr<BatchesArrived> Receive(const BatchesAsked& asked);

  void OnMessage(IncomingMessage& message) override;
  void OnClosed(const absl::Status& why) override;

 private:
  absl::Status Check(const BatchesAsked& asked) const;
  // Returns the next credit, to be sent without the lock; nullopt if all
  // batches have been requested.
  std::optional<OutgoingMessage> NextCredit()
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Span<uint8_t> PartOf(uint64_t grant) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool AllArrived() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsOpen(uint64_t grant) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns the grant of the batch that `message` completes; 0 if it completes
  // none.
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
  absl::Status ended_ ABSL_GUARDED_BY(mutex_);  // not OK: the stream has ended
  BatchesAsked asked_ ABSL_GUARDED_BY(mutex_);
  uint64_t first_grant_ ABSL_GUARDED_BY(mutex_) = 1;  // of the last Receive
  uint64_t next_grant_ ABSL_GUARDED_BY(mutex_) = 1;
  std::map<uint64_t, FrameAssembler> assemblers_ ABSL_GUARDED_BY(mutex_);
  std::vector<int64_t> handover_ns_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_LIB_MEASURE_BATCH_ASKER_H_
