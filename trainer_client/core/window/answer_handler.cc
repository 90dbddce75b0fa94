#include "trainer_client/core/window/answer_handler.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/planned_end.h"
#include "common/batch/batch_view.h"
#include "trainer_client/core/fleet/control_calls.h"

namespace tributary {
namespace {

constexpr absl::Duration kFirstRetry = absl::Milliseconds(20);
constexpr absl::Duration kLongestRetry = absl::Seconds(2);

// A server that refuses this trainer is asked for a batch again after this.
constexpr absl::Duration kDenialPause = absl::Seconds(5);

// Returns `why` with "BATCH: " before its text.
absl::Status OfBatch(const BatchKey& key, const absl::Status& why) {
  return absl::Status(why.code(),
                      absl::StrCat(key.ToString(), ": ", why.message()));
}

// Returns `why` with "BATCH: server HOST:PORT: " before its text.
absl::Status FromServer(const BatchServer& server, const BatchKey& key,
                        const absl::Status& why) {
  return OfBatch(key, SaidBy(server.address(), why));
}

// Returns why the grant brought no batch; OK if it did.
absl::Status OutcomeOf(const GrantEnd& end) {
  switch (end.kind) {
    case GrantEnd::Kind::kFilled:
      return absl::OkStatus();
    case GrantEnd::Kind::kNeeds:
      return absl::ResourceExhaustedError(
          absl::StrCat("the batch needs ", end.bytes, " bytes of room"));
    case GrantEnd::Kind::kError:
      return end.error;
    case GrantEnd::Kind::kUnknownSession:
      return absl::FailedPreconditionError("it did not know the session");
    case GrantEnd::Kind::kReturned:
      return absl::CancelledError("it returned the batch unmade");
  }
  return absl::UnknownError("an unknown answer");
}

// Reads the batch in `room` and checks that it is the one with this key.
absl::StatusOr<BatchView> ParseBatch(absl::Span<const uint8_t> room,
                                     const BatchKey& key) {
  absl::StatusOr<BatchView> view = BatchView::Parse(room);
  if (!view.ok() || view->key() == key) return view;
  return absl::DataLossError(absl::StrCat(
      "asked for ", key.ToString(), " it sent ", view->key().ToString(),
      view->key().session == key.session ? "" : " of another session"));
}

}  // namespace

void AnswerHandler::OnServerDown(const BatchServer& server,
                                 const std::vector<OpenGrant>& lost,
                                 absl::Time now) {
  const bool planned = IsPlannedEnd(server.problem());
  for (const OpenGrant& grant : lost) {
    PendingBatch* batch = state_->Find(grant.batch());
    if (batch == nullptr) continue;
    batch->trail().Ended(server.address(), now, server.problem());
    if (!batch->is_unfinished()) continue;
    if (!planned) {
      batch->AddLost({.holder = {server.address(), server.incarnation()},
                      .alone = grant.exclusive(),
                      .age = grant.Age(now)},
                     FromServer(server, KeyOf(*batch), server.problem()));
    }
    if (fleet_->IsRequested(grant.batch())) continue;
    batch->WantElsewhere(server.address());
    ++state_->stats.reassigned;
  }
}

void AnswerHandler::OnGrantEnd(BatchServer& server, const OpenGrant& grant,
                               GrantEnd end, absl::Time now) {
  if (!state_->epoch.IsCurrent(grant.batch())) return;
  PendingBatch* batch = state_->Find(grant.batch());
  const bool open = batch != nullptr && batch->is_unfinished();
  if (batch != nullptr) {
    batch->trail().Ended(server.address(), now, OutcomeOf(end),
                         end.trace.get());
  }
  if (end.kind == GrantEnd::Kind::kFilled) {
    if (open) return OnFilled(server, *batch, std::move(end), now);
    ++state_->stats.doubles;
    return;
  }
  if (!open || fleet_->IsRequested(grant.batch())) return;
  switch (end.kind) {
    case GrantEnd::Kind::kNeeds:
      return OnNeeds(server, *batch, grant, end.bytes, now);
    case GrantEnd::Kind::kError:
      return OnError(server, *batch, end, now);
    case GrantEnd::Kind::kUnknownSession:
      // The session has been opened again: no failure, but a server that never
      // knows it must not keep the batch from another.
      return batch->WantElsewhere(server.address());
    default:
      return Retry(*batch, server,
                   absl::UnavailableError("it returned the batch unmade"), now);
  }
}

void AnswerHandler::OnFilled(BatchServer& server, PendingBatch& batch,
                             GrantEnd end, absl::Time now) {
  const absl::Span<const uint8_t> room = end.slot->bytes();
  absl::StatusOr<BatchView> view =
      ParseBatch(room.first(end.bytes), KeyOf(batch));
  const absl::Status kept = end.slot->Filled(end.bytes);
  if (!kept.ok()) return Retry(batch, server, kept, now);
  if (!view.ok()) {
    Retry(batch, server, view.status(), now);
    return server.Disconnect(view.status());
  }
  batch.Complete(std::move(end.slot), *std::move(view),
                 {end.left_out_bytes - end.compact_bytes, end.compact_bytes});
  state_->rooms.OnReceived(end.bytes);
  batch.trail().Ready(now);
  fleet_->Cancel(state_->epoch.RefOf(batch.index()), nullptr);
}

void AnswerHandler::OnNeeds(BatchServer& server, PendingBatch& batch,
                            const OpenGrant& grant, uint64_t bytes,
                            absl::Time now) {
  ++state_->stats.needs;
  const bool had_enough = batch.received_bytes() != 0 &&
                          batch.received_bytes() <= grant.max_bytes();
  if (bytes <= grant.max_bytes() || had_enough) {
    const auto why = absl::InternalError(
        absl::StrCat("it needs ", bytes, " bytes and had ", grant.max_bytes()));
    Retry(batch, server, why, now);
    return server.Disconnect(why);
  }
  const absl::Status fits = state_->rooms.CheckFits(bytes);
  if (!fits.ok()) return AskAnother(server, batch, fits, now);
  batch.NeedRoom(server.address(), bytes, grant.max_bytes(),
                 state_->rooms.capacity());
}

void AnswerHandler::OnError(BatchServer& server, PendingBatch& batch,
                            const GrantEnd& end, absl::Time now) {
  if (!end.retryable) return AskAnother(server, batch, end.error, now);
  if (end.retry_after > absl::ZeroDuration()) {
    server.PauseRequests(end.retry_after);
  }
  Retry(batch, server, end.error, now);
}

void AnswerHandler::AskAnother(BatchServer& server, PendingBatch& batch,
                               absl::Status why, absl::Time now) {
  if (IsDenial(why)) server.PauseRequests(kDenialPause);
  batch.AddRefusal(server.address(), why);
  const absl::Status error = OfBatch(KeyOf(batch), batch.refusals().Error());
  if (batch.refusals().Final(*fleet_)) return Fail(batch, error);
  batch.Retry(server.address(), error, now);
  ++state_->stats.reassigned;
}

void AnswerHandler::Retry(PendingBatch& batch, const BatchServer& server,
                          absl::Status why, absl::Time now) {
  const int beyond = batch.failures() + 1 - static_cast<int>(fleet_->num_up());
  batch.Retry(server.address(), FromServer(server, KeyOf(batch), why),
              beyond < 0 ? absl::InfinitePast() : now + RetryDelay(beyond));
  ++state_->stats.reassigned;
}

absl::Duration AnswerHandler::RetryDelay(int tries) {
  const absl::Duration full =
      std::min(kLongestRetry, kFirstRetry * (1 << std::min(tries, 10)));
  return full * (0.5 + jitter_.Word(jitter_draws_++) / 8589934592.0);
}

void AnswerHandler::Fail(PendingBatch& batch, absl::Status error) {
  batch.Fail(std::move(error));
  fleet_->Cancel(state_->epoch.RefOf(batch.index()), nullptr);
}

}  // namespace tributary
