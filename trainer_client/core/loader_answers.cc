// LoaderCore: what servers say.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "trainer_client/core/loader_core.h"

namespace tributary {
namespace {

constexpr absl::Duration kFirstRetry = absl::Milliseconds(20);
constexpr absl::Duration kLongestRetry = absl::Seconds(2);

// "server HOST:PORT: " before the text, the code kept.
absl::Status FromServer(const ServerLink& link, const BatchKey& key,
                        const absl::Status& why) {
  return absl::Status(
      why.code(), absl::StrCat(key.ToString(), ": server ",
                               link.address().ToString(), ": ", why.message()));
}

}  // namespace

absl::Status LoaderCore::OnDescribed(ServerLink&,
                                     const ServerDescription& description) {
  return session_.accept ? session_.accept(description) : absl::OkStatus();
}

void LoaderCore::OnServerUp(ServerLink&) { PumpSoon(); }

void LoaderCore::OnServerDown(ServerLink& link, std::vector<OpenGrant> lost) {
  for (const OpenGrant& grant : lost) {
    PendingBatch* batch =
        grant.generation == generation_ ? window_.Find(grant.index) : nullptr;
    if (batch == nullptr || (batch->state != PendingBatch::State::kAsked &&
                             batch->state != PendingBatch::State::kWanted)) {
      continue;
    }
    batch->deaths.Lost({link.address(), link.incarnation()});
    batch->error = FromServer(link, KeyOf(batch->index), link.problem());
    if (fleet_->IsAsked(batch->index, generation_)) continue;
    batch->state = PendingBatch::State::kWanted;
    batch->avoid = link.address();
    ++stats_.reassigned;
  }
  PumpSoon();
}

void LoaderCore::OnGrantEnd(ServerLink& link, const OpenGrant& grant,
                            GrantEnd end) {
  PumpSoon();
  if (cancelled_ || grant.generation != generation_) return;
  PendingBatch* batch = window_.Find(grant.index);
  const bool open =
      batch != nullptr && (batch->state == PendingBatch::State::kWanted ||
                           batch->state == PendingBatch::State::kAsked);
  if (end.kind == GrantEnd::Kind::kFilled) {
    if (open) return OnFilled(link, *batch, std::move(end));
    ++stats_.doubles;
    return;
  }
  // While another server works on it, only a batch counts.
  if (!open || fleet_->IsAsked(grant.index, generation_)) return;
  switch (end.kind) {
    case GrantEnd::Kind::kNeeds:
      return OnNeeds(link, *batch, grant, end.bytes);
    case GrantEnd::Kind::kError:
      return OnError(link, *batch, end);
    case GrantEnd::Kind::kUnknownSession:
      batch->state = PendingBatch::State::kWanted;  // it knows it by now
      return;
    default:
      return AskAgain(*batch, link,
                      absl::UnavailableError("it returned the batch unmade"));
  }
}

void LoaderCore::OnFilled(ServerLink& link, PendingBatch& batch, GrantEnd end) {
  const BatchKey key = KeyOf(batch.index);
  absl::Span<const uint8_t> room = end.slot->bytes();
  absl::StatusOr<BatchView> view = BatchView::Parse(room.first(end.bytes));
  if (view.ok() && view->key() != key) {
    view = absl::DataLossError(absl::StrCat(
        "asked for ", key.ToString(), " it sent ", view->key().ToString(),
        view->key().session == key.session ? "" : " of another session"));
  }
  const absl::Status kept = end.slot->Filled(end.bytes);
  if (!kept.ok()) return AskAgain(batch, link, kept);
  if (!view.ok()) {
    AskAgain(batch, link, view.status());
    return link.Break(view.status());
  }
  batch.state = PendingBatch::State::kReady;
  batch.tries = 0;
  batch.needed = batch.wanted = end.bytes;  // should it be evicted
  batch.slot = std::move(end.slot);
  batch.view = *std::move(view);
  credit_size_.Saw(end.bytes);
  fleet_->Abandon(batch.index, generation_, nullptr);
}

void LoaderCore::OnNeeds(ServerLink& link, PendingBatch& batch,
                         const OpenGrant& grant, uint64_t bytes) {
  ++stats_.needs;
  if (bytes <= grant.max_bytes) {
    const auto why = absl::InternalError(
        absl::StrCat("it needs ", bytes, " bytes and had ", grant.max_bytes));
    AskAgain(batch, link, why);
    return link.Break(why);
  }
  if (bytes > ring_->capacity()) {
    return Fail(batch,
                absl::InvalidArgumentError(absl::StrCat(
                    KeyOf(batch.index).ToString(), " needs ", bytes, " bytes, ",
                    options_.ring_option, " is ", ring_->capacity(), ": raise ",
                    options_.ring_option, " to at least ", bytes)));
  }
  // A server that ran out of memory knows only a lower bound: growing by a
  // quarter at least, where there is as much, bounds how often it is asked.
  uint64_t wanted = bytes;
  if (batch.needed != 0) {
    wanted = std::max(wanted, grant.max_bytes + grant.max_bytes / 4);
  }
  batch.needed = AlignUp(bytes, kCacheLine);
  batch.wanted = std::min(AlignUp(wanted, kCacheLine), ring_->capacity());
  batch.state = PendingBatch::State::kWanted;
}

void LoaderCore::OnError(ServerLink& link, PendingBatch& batch,
                         const GrantEnd& end) {
  if (!end.retryable) {
    return Fail(batch, FromServer(link, KeyOf(batch.index), end.error));
  }
  if (end.retry_after > absl::ZeroDuration()) link.Rest(end.retry_after);
  AskAgain(batch, link, end.error);
}

// At once while there are servers that were not asked yet, then ever later.
void LoaderCore::AskAgain(PendingBatch& batch, const ServerLink& link,
                          absl::Status why) {
  const int beyond = ++batch.tries - static_cast<int>(fleet_->num_up());
  batch.not_before =
      beyond < 0 ? absl::InfinitePast() : strand_->Now() + RetryDelay(beyond);
  batch.state = PendingBatch::State::kWanted;
  batch.avoid = link.address();
  batch.error = FromServer(link, KeyOf(batch.index), why);
  ++stats_.reassigned;
}

absl::Duration LoaderCore::RetryDelay(int tries) {
  const absl::Duration full =
      std::min(kLongestRetry, kFirstRetry * (1 << std::min(tries, 10)));
  return full * (0.5 + jitter_.Word(jitter_draws_++) / 8589934592.0);
}

void LoaderCore::Fail(PendingBatch& batch, absl::Status error) {
  batch.state = PendingBatch::State::kFailed;
  batch.error = std::move(error);
  fleet_->Abandon(batch.index, generation_, nullptr);
  PumpSoon();
}

}  // namespace tributary
