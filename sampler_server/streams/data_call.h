// One call of a data stream, from its arrival to its reply.
#ifndef TRIBUTARY_SAMPLER_SERVER_STREAMS_DATA_CALL_H_
#define TRIBUTARY_SAMPLER_SERVER_STREAMS_DATA_CALL_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "channel/call_server.h"
#include "common/io/buffer.h"
#include "common/runtime/shared_budget.h"
#include "common/text/status.h"
#include "sampler_server/streams/call_turns.h"

namespace tributary {

// Upper limit of any time that a data call asks to wait.
inline constexpr uint64_t kMaxDataWaitMs = 24 * 3'600'000;

// What a call takes beside its bytes until it is answered: its places among the
// calls of its stream and in the queue, and, while it waits, its closures, its
// timer and its cancellation.
inline constexpr size_t kDataCallBytes = 1536;
// A byte of a header becomes no more than this when it is parsed: an empty
// message, or unknown field, takes two.
inline constexpr size_t kParsedBytes = 56;

// Returns what a call takes from its arrival on, before its header is parsed.
inline size_t BytesOfDataCall(const IncomingCall& call) {
  return kDataCallBytes + call.payload.size() + call.header.size();
}

// A value. It runs on the data executor, one step after another, each in its
// turn; in no order with other calls.
struct DataCall {
  IncomingCall call;
  BudgetShare::Hold request;  // of BytesOfDataCall, or less
  // The stream's shares of the data budget: of requests with what they need
  // while they run, and of replies. They are apart, so that a stream whose
  // replies are read may always have one more, whatever it asks for next.
  std::shared_ptr<BudgetShare> working;
  std::shared_ptr<BudgetShare> replies;
  std::shared_ptr<const StreamTurns> turns;  // of its stream
  absl::Time arrived;

  // Returns when a wait of `timeout_ms`, from the call's arrival, ends.
  absl::Time Deadline(uint64_t timeout_ms) const {
    return arrived + absl::Milliseconds(std::min(timeout_ms, kMaxDataWaitMs));
  }
  // CANCELLED or DEADLINE_EXCEEDED if nobody waits for it any more.
  absl::Status CheckWanted(uint64_t timeout_ms) const {
    if (call.cancel.cancelled()) {
      return absl::CancelledError("the caller no longer waits");
    }
    if (turns->Now() < Deadline(timeout_ms)) return absl::OkStatus();
    return absl::DeadlineExceededError(
        absl::StrCat("its ", timeout_ms,
                     " ms are over; it waited for its turns, or took longer"));
  }
};

// Memory for a reply's payload, within the stream's share until the network has
// taken it.
struct ReplyRoom {
  AlignedBuffer payload;
  BudgetShare::Hold hold;

  // RESOURCE_EXHAUSTED, or INVALID_ARGUMENT if it is larger than the share.
  static absl::StatusOr<ReplyRoom> Make(const DataCall& call, size_t bytes) {
    ASSIGN_OR_RETURN(BudgetShare::Hold hold, call.replies->TryTake(bytes));
    return ReplyRoom{AlignedBuffer(bytes), std::move(hold)};
  }

  // Returns the answer of `kind` with the first `bytes` of this payload.
  static CallAnswer Answer(MessageKind kind, std::string header, ReplyRoom room,
                           size_t bytes) {
    CallAnswer answer;
    answer.kind = kind;
    answer.header = std::move(header);
    auto owner = std::make_shared<ReplyRoom>(std::move(room));
    answer.payload = std::as_const(owner->payload).span().first(bytes);
    answer.payload_owner = std::move(owner);
    return answer;
  }
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_STREAMS_DATA_CALL_H_
