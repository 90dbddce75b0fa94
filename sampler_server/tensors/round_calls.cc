#include "sampler_server/tensors/round_calls.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "sampler_server/tensors/payload_rows.h"
#include "sampler_server/tensors/rank_list.h"

namespace tributary::tensor_internal {
namespace {

// Upper limit of the time that a part of a later round waits for its own.
constexpr uint64_t kMaxAheadMs = 600'000;
constexpr uint64_t kWorkPerPush = 500;

OptimizerStep StepOf(const v1::SparseStep& from) {
  OptimizerStep step;
  step.learning_rate = from.learning_rate();
  step.eps = from.eps();
  step.beta1 = from.beta1();
  step.beta2 = from.beta2();
  step.scale = from.scale() == 0 ? 1 : from.scale();
  return step;
}

// Stages the pushes of a request, and applies the round if they complete it.
class PushCall final : public SteppedCall {
 public:
  PushCall(CallPtr call, AttemptPtr attempt, v1::PushRoundRequest request)
      : SteppedCall(std::move(call)),
        attempt_(std::move(attempt)),
        request_(std::move(request)) {
    part_.rank = request_.attempt().rank();
    part_.round = request_.round();
    part_.part = request_.part();
    part_.closes = request_.closes();
  }

 private:
  // A round that has begun to be applied is applied to its end.
  absl::StatusOr<Progress> Step(WorkSlice& slice) override {
    if (applies_) return Apply(slice);
    RETURN_IF_ERROR(call().CheckGoesOn(*attempt_, /*timeout_ms=*/0));
    if (work_ == nullptr) {
      if (attempt_->rounds().Has(part_)) return Finish(Reply());
      if (part_.round > attempt_->rounds().applied() + 1) return WaitForRound();
      ASSIGN_OR_RETURN(work_, attempt_->Begin());
      RETURN_IF_ERROR(Reserve());
      payload_ = call().payload();
    }
    if (next_ < request_.pushes_size()) {
      RETURN_IF_ERROR(TakePush(slice));
      return Progress::kMore;
    }
    return Stage();
  }

  // Reserves the memory of the part, before it is made. Pushes without rows are
  // checked and leave nothing behind. The payload bounds what the request says
  // of rows.
  absl::Status Reserve() {
    const size_t payload = call().payload().size();
    const size_t most_rows = payload / sizeof(uint64_t);
    size_t num_rows = 0, num_pushes = 0;
    for (const auto& push : request_.pushes()) {
      num_rows = std::min(
          most_rows, num_rows + std::min<uint64_t>(push.num_rows(), most_rows));
      num_pushes += push.num_rows() > 0 ? 1 : 0;
    }
    part_.bytes =
        attempt_->rounds().BytesOf(part_, payload, num_rows, num_pushes);
    RETURN_IF_ERROR(attempt_->rounds().Check(part_));
    ASSIGN_OR_RETURN(part_.memory,
                     call().store().ReserveStaging(*attempt_, part_.bytes));
    part_.pushes.reserve(num_pushes);
    return absl::OkStatus();
  }

  // Goes on with the push at the front of the payload.
  absl::Status TakePush(WorkSlice& slice) {
    slice.Spend(kWorkPerPush);
    const auto& push = request_.pushes(next_);
    if (!places_.has_value()) RETURN_IF_ERROR(BeginPush(push));
    ASSIGN_OR_RETURN(const bool checked, places_->Step(slice));
    if (!checked) return absl::OkStatus();
    staged_.rows = places_->Take();
    places_.reset();
    slice.Spend(staged_.rows.size());
    RETURN_IF_ERROR(CheckAscending(push));
    num_rows_ += staged_.rows.size();
    StagedPush staged = std::exchange(staged_, {});
    if (!staged.rows.empty()) part_.pushes.push_back(std::move(staged));
    ++next_;
    return absl::OkStatus();
  }

  absl::Status BeginPush(const v1::PushRoundRequest::Push& push) {
    ASSIGN_OR_RETURN(staged_.table, attempt_->Find(push.name()));
    const OptimizerKind optimizer = staged_.table->optimizer();
    if (optimizer == OptimizerKind::kNone) {
      return absl::FailedPreconditionError(
          absl::StrCat("tensor '", TerminalLine(push.name()),
                       "' has no optimizer: attach one first"));
    }
    staged_.place = push.place();
    staged_.step = StepOf(push.step());
    RETURN_IF_ERROR(CheckStep(optimizer, staged_.step));
    const size_t row_bytes = staged_.table->shape().row_bytes();
    const size_t each = sizeof(uint64_t) + row_bytes;
    if (push.num_rows() > payload_.size() / each) {
      return absl::InvalidArgumentError(
          absl::StrCat("a push of ", push.num_rows(), " rows to tensor '",
                       TerminalLine(push.name()), "', with ", payload_.size(),
                       " bytes left in the payload; each row takes ", each));
    }
    const auto own = payload_.first(push.num_rows() * each);
    payload_.remove_prefix(own.size());
    staged_.gradients = own.data() + push.num_rows() * sizeof(uint64_t);
    ASSIGN_OR_RETURN(places_, PayloadRows::Begin(staged_.table, own,
                                                 push.num_rows(), row_bytes));
    return absl::OkStatus();
  }

  absl::Status CheckAscending(const v1::PushRoundRequest::Push& push) const {
    for (size_t i = 1; i < staged_.rows.size(); ++i) {
      if (staged_.rows[i - 1] < staged_.rows[i]) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "the rows of a push to tensor '", TerminalLine(push.name()),
          "' are not ascending and distinct"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Progress> Stage() {
    if (!payload_.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          payload_.size(), " bytes of the payload belong to no push"));
    }
    CountPush(call(), num_rows_);
    // The gradients move to the budget of rounds.
    part_.owner =
        std::make_shared<AlignedBuffer>(std::move(call().data.call.payload));
    ASSIGN_OR_RETURN(const auto taken,
                     attempt_->rounds().Stage(std::move(part_)));
    call().data.request.Release();
    applies_ = taken == RoundStaging::Taken::kComplete;
    return applies_ ? Progress::kMore : Finish(Reply());
  }

  absl::StatusOr<Progress> Apply(WorkSlice& slice) {
    if (!attempt_->rounds().ApplyRound(slice)) return Progress::kMore;
    Counter(call().calls.metrics.rounds).Add();
    work_ = nullptr;
    attempt_->applied().Reach(attempt_->rounds().applied());
    return Finish(Reply());
  }

  Progress WaitForRound() {
    const absl::Time deadline = call().data.Deadline(kMaxAheadMs);
    KeepWhileWaiting(call(), request_.SpaceUsedLong());
    auto late = [attempt = attempt_] {
      return absl::DeadlineExceededError(absl::StrCat(
          "round ", attempt->open_round(), " of gradients is still open: ",
          RankList(attempt->rounds().Missing()), " of ", attempt->world(),
          " have not closed it"));
    };
    attempt_->applied().Park(
        part_.round - 1, deadline, call().data.call.cancel, std::move(late),
        [this, self = shared_from_this()](absl::Status status) {
          if (!status.ok()) return call().Finish(std::move(status));
          Continue();
        });
    return Progress::kWaits;
  }

  CallAnswer Reply() {
    v1::PushRoundReply reply;
    reply.set_round(attempt_->rounds().applied());
    reply.set_draining(call().store().draining());
    return HeaderAnswer(call().data.call.kind, reply);
  }

  const AttemptPtr attempt_;
  const v1::PushRoundRequest request_;
  std::shared_ptr<const void> work_;
  absl::Span<const uint8_t> payload_;  // of the pushes that are left
  StagedPush staged_;                  // the push of places_
  std::optional<PayloadRows> places_;
  int next_ = 0;  // push of the request
  size_t num_rows_ = 0;
  RoundPart part_;
  bool applies_ = false;
};

}  // namespace

std::shared_ptr<SteppedCall> PushRound(CallPtr call, AttemptPtr attempt,
                                       v1::PushRoundRequest request) {
  return std::make_shared<PushCall>(std::move(call), std::move(attempt),
                                    std::move(request));
}

}  // namespace tributary::tensor_internal
