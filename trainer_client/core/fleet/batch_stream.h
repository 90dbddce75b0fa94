// The trainer's end of one stream of batches: sends grants, receives batches.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_BATCH_STREAM_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_BATCH_STREAM_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "channel/frame_assembler.h"
#include "channel/transport.h"
#include "common/proto/trace.pb.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"
#include "trainer_client/core/fleet/credit_request.h"
#include "trainer_client/core/fleet/grant_end.h"
#include "trainer_client/core/fleet/receive_slot.h"
#include "trainer_client/core/held/batch_fill.h"

namespace tributary {

class BatchStream;

// Called on the strand.
class BatchStreamEvents {
 public:
  virtual ~BatchStreamEvents() = default;
  virtual void OnGrantEnd(BatchStream& stream, GrantEnd end) = 0;
  // The last event. Grants that had not ended have now: nothing writes into
  // their slots any more.
  virtual void OnStreamClosed(BatchStream& stream, absl::Status why) = 0;
};

// Copies frames into their slots on the transport's thread, fills rows in that
// were left out and expands compact edges on the strand's executor, and passes
// everything else on to the strand. A grant holds its slot until the server has
// filled it, answered otherwise or returned it, or until the stream has closed;
// so no slot is reused while the server may still write into it. What waits for
// the strand is bounded by the number of grants. Any violation of the protocol
// closes the stream; OnStreamClosed reports it.
//
// Shared by the strand's owner and the transport, which holds it until
// OnClosed.
class BatchStream : public StreamHandler,
                    public std::enable_shared_from_this<BatchStream> {
 public:
  static std::shared_ptr<BatchStream> Connect(
      Transport* transport, const Address& address,
      std::shared_ptr<Strand> strand, std::weak_ptr<BatchStreamEvents> events);

  // ---- called on the strand; no effect once the stream is broken -----------
  // `spec`: the serialized specification, byte for byte as it was hashed.
  void OpenSession(std::string_view spec, std::string_view client);
  // Sends a credit and returns the number of its grant. The server gives up
  // after `timeout`.
  uint64_t SendCredit(const CreditRequest& request, absl::Duration timeout);
  // Asks the server to stop. A GrantEnd of any kind follows.
  void CancelGrant(uint64_t grant);
  void Close(absl::Status why);
  // Tells the server how much this trainer waits. Requires that the server
  // takes wait reports.
  void ReportWait(double wait_ratio);
  // Returns a count that grows with every sign that the server works on the
  // grant; 0 once it has ended.
  uint64_t SignsOf(uint64_t grant);

  // ---- called on the transport's thread -------------------------------------
  // A frame goes straight to its place in the slot.
  PayloadRoom RoomFor(const IncomingMessage& message) override;
  void OnMessage(IncomingMessage& message) override;
  void OnClosed(const absl::Status& why) override;

 private:
  // An open grant. Only the transport's thread uses the assembler.
  struct Granted {
    explicit Granted(const CreditRequest& request);
    std::shared_ptr<ReceiveSlot> slot;
    HeldCredit held;
    bool compact;
    FrameAssembler assembler;
    std::shared_ptr<const v1::BatchTrace> trace;  // likewise; null: none came
    std::atomic<uint64_t> signs{1};
  };

  BatchStream(std::shared_ptr<Strand> strand,
              std::weak_ptr<BatchStreamEvents> events)
      : strand_(std::move(strand)), events_(std::move(events)) {}

  absl::Status Dispatch(IncomingMessage& message);
  absl::Status OnFrame(IncomingMessage& message);
  absl::Status OnProgress(const IncomingMessage& message);
  absl::Status OnAnswer(const IncomingMessage& message);
  // Returns null if the grant is not open.
  std::shared_ptr<Granted> Find(uint64_t grant);
  // Removes the grant. INTERNAL: it is not open.
  absl::StatusOr<std::shared_ptr<Granted>> Take(uint64_t grant);
  absl::Status EndGrant(GrantEnd end);
  // Fills in what was left out of a batch that has arrived, then reports it.
  absl::Status FillThenEnd(GrantEnd end, LeftOut left_out);
  void OnFillEnd(GrantEnd end, const HeldCredit& held, FillEnd fill);
  void Report(GrantEnd end);
  void Send(OutgoingMessage message);
  std::shared_ptr<Stream> stream();

  const std::shared_ptr<Strand> strand_;
  const std::weak_ptr<BatchStreamEvents> events_;
  uint64_t next_grant_ = 1;  // used on the strand

  Mutex mutex_;
  std::shared_ptr<Stream> stream_ ABSL_GUARDED_BY(mutex_);
  // Not OK once the stream is to be closed or has closed: later Sends are
  // dropped.
  absl::Status broken_ ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, std::shared_ptr<Granted>> granted_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_BATCH_STREAM_H_
