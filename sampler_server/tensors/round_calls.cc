#include "sampler_server/tensors/round_calls.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "sampler_server/tensors/rank_list.h"
#include "sampler_server/tensors/request_checks.h"

namespace tributary::tensor_internal {
namespace {

// Upper limit of the time that a part of a later round waits for its own.
constexpr uint64_t kMaxAheadMs = 600'000;

OptimizerStep StepOf(const v1::SparseStep& from) {
  OptimizerStep step;
  step.learning_rate = from.learning_rate();
  step.eps = from.eps();
  step.beta1 = from.beta1();
  step.beta2 = from.beta2();
  step.scale = from.scale() == 0 ? 1 : from.scale();
  return step;
}

// Takes one push from the front of `payload`.
absl::StatusOr<StagedPush> TakePush(const Attempt& attempt,
                                    const v1::PushRoundRequest::Push& push,
                                    absl::Span<const uint8_t>& payload) {
  StagedPush staged;
  ASSIGN_OR_RETURN(staged.table, attempt.Find(push.name()));
  const OptimizerKind optimizer = staged.table->optimizer();
  if (optimizer == OptimizerKind::kNone) {
    return absl::FailedPreconditionError(
        absl::StrCat("tensor '", TerminalLine(push.name()),
                     "' has no optimizer: attach one first"));
  }
  staged.place = push.place();
  staged.step = StepOf(push.step());
  RETURN_IF_ERROR(CheckStep(optimizer, staged.step));
  const size_t row_bytes = staged.table->shape().row_bytes();
  const size_t each = sizeof(uint64_t) + row_bytes;
  if (push.num_rows() > payload.size() / each) {
    return absl::InvalidArgumentError(
        absl::StrCat("a push of ", push.num_rows(), " rows to tensor '",
                     TerminalLine(push.name()), "', with ", payload.size(),
                     " bytes left in the payload; each row takes ", each));
  }
  const auto own = payload.first(push.num_rows() * each);
  payload.remove_prefix(own.size());
  ASSIGN_OR_RETURN(staged.rows,
                   CheckRows(*staged.table, own, push.num_rows(), row_bytes));
  for (size_t i = 1; i < staged.rows.size(); ++i) {
    if (staged.rows[i - 1] < staged.rows[i]) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the rows of a push to tensor '", TerminalLine(push.name()),
        "' are not ascending and distinct"));
  }
  staged.gradients = own.data() + push.num_rows() * sizeof(uint64_t);
  return staged;
}

// Reserves the memory of a part with `num_pushes` pushes that have rows, before
// these are made. The payload bounds what the request says of rows.
absl::Status ReservePart(const CallPtr& call, Attempt& attempt,
                         const v1::PushRoundRequest& request, size_t num_pushes,
                         RoundPart& part) {
  const size_t payload = call->payload().size();
  const size_t most_rows = payload / sizeof(uint64_t);
  size_t num_rows = 0;
  for (const auto& push : request.pushes()) {
    num_rows = std::min(
        most_rows, num_rows + std::min<uint64_t>(push.num_rows(), most_rows));
  }
  part.bytes = attempt.rounds().BytesOf(part, payload, num_rows, num_pushes);
  RETURN_IF_ERROR(attempt.rounds().Check(part));
  ASSIGN_OR_RETURN(part.memory,
                   call->store().ReserveStaging(attempt, part.bytes));
  return absl::OkStatus();
}

// Checks the pushes of a request and adds those that have rows to `part`, whose
// memory it reserves.
absl::Status FillPart(const CallPtr& call, Attempt& attempt,
                      const v1::PushRoundRequest& request, RoundPart& part) {
  const auto num_pushes = static_cast<size_t>(
      std::count_if(request.pushes().begin(), request.pushes().end(),
                    [](const auto& push) { return push.num_rows() > 0; }));
  RETURN_IF_ERROR(ReservePart(call, attempt, request, num_pushes, part));
  part.pushes.reserve(num_pushes);
  auto payload = call->payload();
  for (const auto& push : request.pushes()) {
    ASSIGN_OR_RETURN(StagedPush staged, TakePush(attempt, push, payload));
    if (!staged.rows.empty()) part.pushes.push_back(std::move(staged));
  }
  if (payload.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(payload.size(), " bytes of the payload belong to no push"));
}

absl::StatusOr<RoundStaging::Taken> TryStage(
    const CallPtr& call, Attempt& attempt,
    const v1::PushRoundRequest& request) {
  RoundPart part;
  part.rank = request.attempt().rank();
  part.round = request.round();
  part.part = request.part();
  part.closes = request.closes();
  if (attempt.rounds().Has(part)) return RoundStaging::Taken::kStaged;
  if (request.round() > attempt.rounds().applied() + 1) {
    return RoundStaging::Taken::kAhead;
  }
  auto taken = RoundStaging::Taken::kStaged;
  RETURN_IF_ERROR(attempt.WhileOpen([&]() -> absl::Status {
    RETURN_IF_ERROR(FillPart(call, attempt, request, part));
    size_t num_rows = 0;
    for (const StagedPush& push : part.pushes) num_rows += push.rows.size();
    CountPush(*call, num_rows);
    // The gradients move to the budget of rounds.
    auto owner =
        std::make_shared<AlignedBuffer>(std::move(call->data.call.payload));
    part.owner = owner;
    ASSIGN_OR_RETURN(taken, attempt.rounds().Stage(std::move(part)));
    call->data.request.Release();
    if (taken != RoundStaging::Taken::kComplete) return absl::OkStatus();
    attempt.rounds().ApplyRound();
    Counter(call->calls.metrics.rounds).Add();
    return absl::OkStatus();
  }));
  return taken;
}

}  // namespace

void StagePart(const CallPtr& call, const AttemptPtr& attempt,
               std::shared_ptr<const v1::PushRoundRequest> request) {
  const auto taken = TryStage(call, *attempt, *request);
  if (!taken.ok()) return call->Finish(taken.status());
  if (*taken == RoundStaging::Taken::kAhead) {
    const absl::Time deadline = call->data.Deadline(kMaxAheadMs);
    const CancelToken cancel = call->data.call.cancel;
    KeepWhileWaiting(*call, request->SpaceUsedLong());
    auto late = [attempt] {
      return absl::DeadlineExceededError(absl::StrCat(
          "round ", attempt->open_round(), " of gradients is still open: ",
          RankList(attempt->rounds().Missing()), " of ", attempt->world(),
          " have not closed it"));
    };
    return attempt->applied().Park(
        request->round() - 1, deadline, cancel, std::move(late),
        [call, attempt, request](absl::Status status) {
          if (!status.ok()) return call->Finish(std::move(status));
          StagePart(call, attempt, request);
        });
  }
  const uint64_t applied = attempt->rounds().applied();
  if (*taken == RoundStaging::Taken::kComplete) {
    attempt->applied().Reach(applied);
  }
  v1::PushRoundReply reply;
  reply.set_round(applied);
  reply.set_draining(call->store().draining());
  call->Finish(HeaderAnswer(call->data.call.kind, reply));
}

}  // namespace tributary::tensor_internal
