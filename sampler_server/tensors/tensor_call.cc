#include "sampler_server/tensors/tensor_call.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "sampler_server/tensors/rank_list.h"

namespace tributary::tensor_internal {

void KeepWhileWaiting(Call& call, size_t parsed) {
  std::string().swap(call.data.call.header);
  call.data.request.ShrinkTo(std::min(kDataCallBytes + call.payload().size(),
                                      call.data.request.amount()));
  // The allocator adds to each part of the request.
  call.parsed.ShrinkTo(std::min(2 * parsed, call.parsed.amount()));
}

void CountPush(const Call& call, size_t num_rows) {
  const TensorMetrics& metrics = call.calls.metrics;
  Counter(metrics.pushes).Add();
  Counter(metrics.pushed_rows).Add(static_cast<double>(num_rows));
  Counter(metrics.pushed_bytes).Add(static_cast<double>(call.payload().size()));
}

void SteppedCall::Run(WorkSlice& slice) {
  do {
    const auto progress = Step(slice);
    if (!progress.ok()) return call_->Finish(progress.status());
    if (*progress != Progress::kMore) return;
  } while (!slice.used_up());
  ++steps_;
  Continue();
}

void SteppedCall::Continue() {
  call_->data.turns->Post(
      [self = shared_from_this()](WorkSlice& slice) { self->Run(slice); },
      steps_);
}

void AfterRound(CallPtr call, AttemptPtr attempt, uint64_t round,
                uint64_t timeout_ms, size_t parsed, CallTurns::Step then,
                WorkSlice& slice) {
  if (attempt->applied().number() >= round) return then(slice);
  KeepWhileWaiting(*call, parsed);
  ParkedCalls& parked = attempt->applied();
  const absl::Time deadline = call->data.Deadline(timeout_ms);
  const CancelToken cancel = call->data.call.cancel;
  auto late = [attempt, round] {
    return absl::DeadlineExceededError(absl::StrCat(
        "round ", round, " of gradients is not applied: ",
        RankList(attempt->rounds().Missing()), " of ", attempt->world(),
        " have not closed round ", attempt->open_round()));
  };
  parked.Park(round, deadline, cancel, std::move(late),
              [call, attempt, then = std::move(then)](absl::Status s) mutable {
                if (!s.ok()) return call->Finish(std::move(s));
                call->data.turns->Post(std::move(then));
              });
}

}  // namespace tributary::tensor_internal
