// One call for mutable rows, from its arrival to its answer. For the sources of
// ServeTensorCall.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_TENSOR_CALL_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_TENSOR_CALL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "channel/call_server.h"
#include "channel/message.h"
#include "channel/parse_header.h"
#include "common/runtime/shared_budget.h"
#include "common/text/status.h"
#include "sampler_server/service/data/data_call.h"
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
struct Call : std::enable_shared_from_this<Call> {
  Call(const TensorCalls& calls, DataCall data, CallResponder respond)
      : calls(calls), data(std::move(data)), respond(std::move(respond)) {}

  TensorStore& store() const { return *calls.store; }
  absl::Span<const uint8_t> payload() const {
    return std::as_const(data.call.payload).span();
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

// Drops the header of a call that begins to wait, and counts no more than what
// it keeps: its payload and `parsed` bytes of its request.
void KeepWhileWaiting(Call& call, size_t parsed);

// Counts rows that a call writes.
void CountPush(const Call& call, size_t num_rows);

// Runs `then` once `round` is applied, and answers the call with its result or
// the error of the wait. `then` keeps `parsed` bytes of the request.
void AfterRound(CallPtr call, AttemptPtr attempt, uint64_t round,
                uint64_t timeout_ms, size_t parsed,
                absl::AnyInvocable<Answer()> then);

}  // namespace tributary::tensor_internal

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_TENSOR_CALL_H_
