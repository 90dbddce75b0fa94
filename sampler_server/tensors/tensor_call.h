// One call for mutable rows, from its arrival to its answer. For the sources of
// ServeTensorCall.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_TENSOR_CALL_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_TENSOR_CALL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "channel/call_server.h"
#include "channel/message.h"
#include "channel/parse_header.h"
#include "common/runtime/shared_budget.h"
#include "common/runtime/work_slice.h"
#include "common/text/status.h"
#include "sampler_server/streams/call_turns.h"
#include "sampler_server/streams/data_call.h"
#include "sampler_server/tensors/attempt.h"
#include "sampler_server/tensors/tensor_metrics.h"
#include "sampler_server/tensors/tensor_service.h"
#include "sampler_server/tensors/tensor_store.h"

namespace tributary::tensor_internal {

using Answer = absl::StatusOr<CallAnswer>;
using AttemptPtr = std::shared_ptr<Attempt>;

template <typename Reply>
CallAnswer HeaderAnswer(MessageKind request, const Reply& reply) {
  return {static_cast<MessageKind>(static_cast<uint16_t>(request) + 1),
          reply.SerializeAsString()};
}

// A call that may wait; its parts keep it alive.
struct Call {
  Call(const TensorCalls& calls, DataCall data, CallResponder respond)
      : calls(calls), data(std::move(data)), respond(std::move(respond)) {}

  TensorStore& store() const { return *calls.store; }
  absl::Span<const uint8_t> payload() const {
    return std::as_const(data.call.payload).span();
  }
  // Returns why the call is not to go on: nobody waits for it, in `timeout_ms`
  // (0: any time), or its attempt has ended.
  absl::Status CheckGoesOn(const Attempt& attempt, uint64_t timeout_ms) const {
    RETURN_IF_ERROR(attempt.ended());
    return data.CheckWanted(timeout_ms == 0 ? kMaxDataWaitMs : timeout_ms);
  }
  void Finish(Answer answer) {
    if (!answer.ok()) calls.metrics.errors.Add();
    respond(std::move(answer));
  }

  TensorCalls calls;
  DataCall data;
  CallResponder respond;
  mutable BudgetShare::Hold parsed;  // what the request takes; see Parse
};
using CallPtr = std::shared_ptr<Call>;

// Parses the request within the stream's share of memory: a few bytes become
// many. RESOURCE_EXHAUSTED, to be tried again, if that is full.
template <typename Request>
absl::StatusOr<Request> Parse(const Call& call) {
  ASSIGN_OR_RETURN(
      call.parsed,
      call.data.working->TryTake(kParsedBytes * call.data.call.header.size()));
  return ParseHeader<Request>(call.data.call.kind, call.data.call.header);
}

// A call that works in steps, each in a turn of its caller. Between two steps
// it holds no thread and no mutex. Create with std::make_shared.
class SteppedCall : public std::enable_shared_from_this<SteppedCall> {
 public:
  explicit SteppedCall(CallPtr call) : call_(std::move(call)) {}
  virtual ~SteppedCall() = default;

  // Goes on until it has answered: in this turn, with what is left of `slice`,
  // and in those that follow.
  void Run(WorkSlice& slice);

 protected:
  enum class Progress {
    kMore,    // another step follows
    kWaits,   // something will call Continue; this object is not touched before
    kIsDone,  // the call has been answered
  };
  // Does what fits the slice, and a little at least. An error is the answer.
  virtual absl::StatusOr<Progress> Step(WorkSlice& slice) = 0;
  // Goes on in a turn of its own. Thread-safe.
  void Continue();
  Progress Finish(Answer answer) {
    call_->Finish(std::move(answer));
    return Progress::kIsDone;
  }
  Call& call() const { return *call_; }

 private:
  const CallPtr call_;
  int steps_ = 0;  // that used up their slices
};
// Drops the header of a call that begins to wait, and counts no more than what
// it keeps: its payload and `parsed` bytes of its request.
void KeepWhileWaiting(Call& call, size_t parsed);

// Counts rows that a call writes.
void CountPush(const Call& call, size_t num_rows);

// Runs `then` once `round` is applied: now, or in a turn of its own. Answers
// the call with the error of the wait. `then` keeps `parsed` bytes of the
// request.
void AfterRound(CallPtr call, AttemptPtr attempt, uint64_t round,
                uint64_t timeout_ms, size_t parsed, CallTurns::Step then,
                WorkSlice& slice);

}  // namespace tributary::tensor_internal

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_TENSOR_CALL_H_
