// The trainer's end of one stream of batches: grants out, filled slots back.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_BATCH_STREAM_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_BATCH_STREAM_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "channel/frame_assembler.h"
#include "channel/transport.h"
#include "common/batch/batch_key.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"
#include "trainer_client/core/fleet/receive_slot.h"

namespace tributary {

class BatchStream;

// How one grant ended. Each grant ends once: by one of these, or with its
// stream.
struct GrantEnd {
  enum class Kind { kFilled, kNeeds, kError, kUnknownSession, kReturned };
  Kind kind{};
  uint64_t grant = 0;
  uint64_t bytes = 0;                 // kFilled: of the room; kNeeds: wanted
  std::shared_ptr<ReceiveSlot> slot;  // the grant's
  absl::Status error;                 // kError
  bool retryable = false;             // kError
  absl::Duration retry_after;         // kError
};

// Told on the strand.
class BatchStreamEvents {
 public:
  virtual ~BatchStreamEvents() = default;
  virtual void OnGrantEnd(BatchStream& stream, GrantEnd end) = 0;
  // Last. Grants that had not ended have now: nothing writes into their slots.
  virtual void OnStreamClosed(BatchStream& stream, absl::Status why) = 0;
};

// Frames are copied into their slots on the transport's thread, everything else
// is passed on to the strand. A slot is pinned by its grant until the server
// has filled it, answered otherwise, returned it, or the stream has closed: so
// none is used again while its holder may still write. What waits for the
// strand is bounded by the grants. Anything against the protocol breaks the
// stream.
class BatchStream : public StreamHandler,
                    public std::enable_shared_from_this<BatchStream> {
 public:
  static std::shared_ptr<BatchStream> Connect(
      Transport* transport, const Address& address,
      std::shared_ptr<Strand> strand, std::weak_ptr<BatchStreamEvents> events);

  // ---- on the strand; after the stream broke they do nothing --------------
  // `spec`: the very bytes that are hashed.
  void OpenSession(std::string_view spec, std::string_view client);
  struct Ask {
    BatchKey key;
    std::shared_ptr<ReceiveSlot> slot;
    absl::Duration timeout;
    absl::Span<const uint64_t> input_numbers;
    absl::Span<const int64_t> original_ids;  // as many
    absl::Span<const int64_t> input_times;   // as many, or none
    // Of links instead, all in one; else null.
    std::shared_ptr<const std::vector<uint8_t>> link_credit;
    uint64_t num_links = 0;
  };
  // The number of the grant.
  uint64_t Grant(const Ask& ask);
  // Answered by an end, of whatever kind.
  void CancelGrant(uint64_t grant);
  void Close(absl::Status why);
  // Grows with every sign that the server works on the grant; 0 when it has
  // ended.
  uint64_t SignsOf(uint64_t grant);

  // ---- on the transport's thread ------------------------------------------
  void OnMessage(IncomingMessage& message) override;
  void OnClosed(const absl::Status& why) override;

 private:
  // The assembler is used by the transport's thread only.
  struct Granted {
    explicit Granted(std::shared_ptr<ReceiveSlot> s);
    std::shared_ptr<ReceiveSlot> slot;
    FrameAssembler assembler;
    std::atomic<uint64_t> signs{1};
  };

  BatchStream(std::shared_ptr<Strand> strand,
              std::weak_ptr<BatchStreamEvents> events)
      : strand_(std::move(strand)), events_(std::move(events)) {}

  absl::Status Dispatch(IncomingMessage& message);
  absl::Status OnFrame(IncomingMessage& message);
  absl::Status OnReady(IncomingMessage& message);
  absl::Status OnNeeds(IncomingMessage& message);
  absl::Status OnBatchError(IncomingMessage& message);
  absl::Status OnUnknownSession(IncomingMessage& message);
  absl::Status OnReturned(IncomingMessage& message);
  absl::Status OnProgress(IncomingMessage& message);
  std::shared_ptr<Granted> Find(uint64_t grant);
  absl::StatusOr<std::shared_ptr<Granted>> Take(uint64_t grant);
  absl::Status End(GrantEnd end);
  void Send(OutgoingMessage message);
  std::shared_ptr<Stream> stream();

  const std::shared_ptr<Strand> strand_;
  const std::weak_ptr<BatchStreamEvents> events_;
  uint64_t next_grant_ = 1;  // strand

  Mutex mutex_;
  std::shared_ptr<Stream> stream_ ABSL_GUARDED_BY(mutex_);
  // Set when the stream is to break, or has: later Sends are dropped.
  absl::Status broken_ ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, std::shared_ptr<Granted>> granted_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_BATCH_STREAM_H_
