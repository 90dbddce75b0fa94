#include "trainer_client/core/loader_core.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr absl::Duration kTick = absl::Milliseconds(20);
// How often servers learn how much this loader waits. They forget it after a
// minute, and are asked for it about every 15 s.
constexpr absl::Duration kWaitReportInterval = absl::Seconds(5);

absl::Status Cancelled() {
  return absl::CancelledError("the loader was cancelled");
}

// The batch that is delivered next, and those that are requested ahead.
uint64_t WindowSize(const LoaderCoreOptions& options) {
  return static_cast<uint64_t>(options.prefetch_size) + 1;
}

}  // namespace

LoaderCore::LoaderCore(LoaderCoreOptions options, LoaderSession session,
                       std::shared_ptr<Strand> strand)
    : options_(std::move(options)),
      strand_(std::move(strand)),
      ring_(options_.ring != nullptr ? options_.ring
                                     : SlotRing::Create(options_.buffer_size)),
      state_(session,
             BatchRooms(ring_, options_.ring_option, WindowSize(options_),
                        session.max_batch_bytes)),
      next_(strand_),
      wait_(options_.on_wait) {
  state_.epoch.CountFrom(options_.first_generation);
  if (!options_.on_traced) return;
  state_.trace_seed = options_.trace_seed;
  unix_shift_ = absl::Now() - strand_->Now();
}

LoaderCore::~LoaderCore() {
  if (room_freed_ != nullptr) room_freed_->DetachFromStrand();
}

void LoaderCore::Start(std::shared_ptr<ServerFleet> fleet) {
  fleet_ = std::move(fleet);
  requester_.emplace(
      BatchRequesterOptions{.window_size = WindowSize(options_),
                            .hedge_after = options_.rpc_timeout / 4,
                            .compact = options_.compact},
      &state_, fleet_.get());
  answers_.emplace(options_.jitter_seed, &state_, fleet_.get());
  fleet_->SetEvents(weak_from_this());
  fleet_->SetSession(state_.session.spec);
  fleet_->SetNumPartitions(state_.session.num_partitions);
  room_freed_ =
      std::make_shared<StrandSignal>(strand_, [weak = weak_from_this()] {
        if (auto self = weak.lock()) self->Pump();
      });
  ring_->OnRoomFreed([signal = room_freed_] { signal->Signal(); });
}

absl::Status LoaderCore::StartEpoch(uint64_t epoch) {
  if (cancelled_) return Cancelled();
  Begin(state_.epoch.CursorOf(epoch));
  return absl::OkStatus();
}

absl::Status LoaderCore::Resume(const Cursor& cursor) {
  RETURN_IF_ERROR(state_.epoch.Check(cursor));
  if (cancelled_) return Cancelled();
  Begin(cursor);
  return absl::OkStatus();
}

void LoaderCore::Begin(const Cursor& cursor) {
  if (next_.waiting()) Answer(absl::CancelledError("the epoch was left"));
  fleet_->CancelAll();
  state_.window.Clear();
  state_.epoch.Begin(cursor);
  requester_->Reset();
}

absl::Status LoaderCore::Limit(uint64_t from, uint64_t to) {
  return state_.epoch.Limit(from, to);
}

Cursor LoaderCore::CursorAfter(uint64_t batches) const {
  return state_.epoch.CursorAfter(batches);
}

void LoaderCore::Next(Delivered delivered) {
  if (cancelled_) return delivered(Cancelled());
  if (order() == nullptr) {
    return delivered(absl::FailedPreconditionError(
        "no epoch: call StartEpoch() or Resume() first"));
  }
  if (next_.waiting()) {
    return delivered(absl::FailedPreconditionError(
        "another Next() waits; a loader has one user"));
  }
  state_.epoch.MarkStarted();
  next_.Wait(std::move(delivered), options_.rpc_timeout,
             [weak = weak_from_this()](uint64_t call) {
               if (auto self = weak.lock()) self->OnDeadline(call);
             });
  if (!std::exchange(reports_to_servers_, true)) ReportWaitToServers();
  Pump();
}

void LoaderCore::PumpSoon() {
  if (std::exchange(pump_posted_, true)) return;
  strand_->Post([weak = weak_from_this()] {
    if (auto self = weak.lock()) self->Pump();
  });
}

void LoaderCore::Pump() {
  pump_posted_ = false;
  if (cancelled_ || !state_.epoch.started()) return;
  requester_->FillWindow();
  requester_->RequestDue(strand_->Now());
  if (!ticking_ && (next_.waiting() || state_.window.AnyUnfinished())) {
    ticking_ = true;
    strand_->PostAfter(kTick, [weak = weak_from_this()] {
      if (auto self = weak.lock()) self->Tick();
    });
  }
  Deliver();
}

void LoaderCore::Tick() {
  ticking_ = false;
  if (cancelled_) return;
  requester_->PassOverSilent();
  requester_->HedgeLate();
  FailIfRefused();
  ReportWait();
  Pump();
}

void LoaderCore::ReportWait() {
  if (!next_.waiting()) return;
  wait_.Update(next_.age(), options_.rpc_timeout, [this] {
    std::string missing = fleet_->Missing(state_.session.num_partitions);
    if (missing.empty() && !state_.window.empty()) {
      const PendingBatch& front = state_.window.front();
      if (!front.refusals().empty()) {
        missing = std::string(front.error().message());
      }
    }
    return missing;
  });
}

void LoaderCore::ReportWaitToServers() {
  if (cancelled_) return;
  fleet_->ReportWait(next_.minute_wait_ratio());
  strand_->PostAfter(kWaitReportInterval, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->ReportWaitToServers();
  });
}

// The callback may call in again: every path ends with its answer.
void LoaderCore::Deliver() {
  if (!next_.waiting()) return;
  if (state_.window.empty()) return Answer(std::nullopt);
  const PendingBatch& front = state_.window.front();
  if (!front.is_unfinished()) return DeliverFront();
  if (!requester_->front_lacks_room() || fleet_->num_open_grants() > 0) return;
  // What some servers say of its size counts once no other one can be asked.
  std::vector<Address> asked = front.ServersWithNeeds();
  for (const Address& server : front.refusals().servers()) {
    asked.push_back(server);
  }
  const uint64_t least = fleet_->AnyUpBeside(asked) ? front.LeastRoom(Address())
                                                    : front.LeastNeed();
  const absl::Status room =
      state_.rooms.CheckLeases(least, state_.epoch.KeyOf(front.index()));
  if (!room.ok()) Answer(room);
}

void LoaderCore::DeliverFront() {
  PendingBatch batch = std::move(state_.window.front());
  state_.window.PopFront();
  PumpSoon();
  if (batch.state() == PendingBatch::State::kFailed) {
    return Answer(batch.error());
  }
  absl::StatusOr<BatchLease> lease = batch.TakeLease();
  if (!lease.ok()) return Answer(lease.status());
  const uint64_t wire_bytes_before = state_.stats.wire_bytes();
  ++state_.stats.batches;
  state_.stats.inputs += order()->InputsInBatch(batch.index());
  state_.stats.bytes += batch.received_bytes();
  state_.stats.left_out += batch.left_out().held;
  state_.stats.compact += batch.left_out().compact;
  if (options_.on_traced) Trace(batch);
  // A copy: it may end itself.
  if (const auto observer = observer_) {
    observer(lease->view(), state_.stats.wire_bytes() - wire_bytes_before);
  }
  Answer(*std::move(lease));
}

void LoaderCore::Trace(PendingBatch& batch) {
  BatchTimeline timeline = batch.trail().Take(unix_shift_);
  timeline.key = state_.epoch.KeyOf(batch.index());
  timeline.job = options_.job;
  timeline.trace_id = state_.TraceIdOf(batch.index());
  timeline.taken = strand_->Now() + unix_shift_;
  timeline.behind = next_.waited_so_far() - batch.trail().waits_before();
  timeline.bytes = batch.received_bytes();
  timeline.left_out_bytes = batch.left_out().held + batch.left_out().compact;
  options_.on_traced(timeline);
}

void LoaderCore::NoteWaits(const BatchRef& ref) {
  if (!options_.on_traced) return;
  PendingBatch* batch = state_.Find(ref);
  if (batch == nullptr || batch->state() != PendingBatch::State::kReady) return;
  batch->trail().NoteWaits(next_.waited_so_far());
}

void LoaderCore::Answer(WaitingNext::Result result) {
  wait_.End();
  next_.Answer(std::move(result));
}

// Waiting would not help: this trainer and its session do not change.
void LoaderCore::FailIfRefused() {
  if (!next_.waiting() || state_.window.empty() ||
      !state_.window.front().is_unfinished()) {
    return;
  }
  if (absl::Status why = fleet_->RefusedByReachable(); !why.ok()) {
    FailFront(std::move(why));
  }
}

void LoaderCore::FailFront(absl::Status why) {
  fleet_->Cancel(state_.epoch.RefOf(state_.window.front().index()), nullptr);
  state_.window.PopFront();
  PumpSoon();
  Answer(std::move(why));
}

void LoaderCore::OnDeadline(uint64_t call) {
  if (!next_.IsWaiting(call) || state_.window.empty()) return;
  const PendingBatch& front = state_.window.front();
  const std::string batch = state_.epoch.KeyOf(front.index()).ToString();
  const std::string within = absl::StrCat(
      "within rpc_timeout = ", absl::FormatDuration(options_.rpc_timeout));
  if (!front.refusals().empty()) {
    // Nobody has contradicted them, nor confirmed what one alone says.
    const absl::Status refusal = front.refusals().Error();
    return FailFront(absl::Status(
        refusal.code(),
        absl::StrCat(batch, ": ", refusal.message(), "; no other server could ",
                     "be asked ", within, "; servers: ", fleet_->ToString())));
  }
  const std::string text =
      absl::StrCat(batch, " did not come ", within, "; last trouble: ",
                   front.error().ok() ? "none" : front.error().ToString(),
                   "; servers: ", fleet_->ToString());
  const auto code = fleet_->num_up() == 0 ? absl::StatusCode::kUnavailable
                                          : absl::StatusCode::kDeadlineExceeded;
  FailFront(absl::Status(code, text));
}

void LoaderCore::Cancel() {
  if (std::exchange(cancelled_, true)) return;
  if (fleet_ != nullptr) fleet_->CancelAll();
  state_.epoch.Abort();
  state_.window.Clear();
  if (next_.waiting()) Answer(Cancelled());
}

void LoaderCore::Close(absl::AnyInvocable<void()> closed) {
  Cancel();
  room_freed_->DetachFromStrand();
  fleet_->Close(std::move(closed));
}

LoaderStats LoaderCore::stats() const {
  LoaderStats stats = state_.stats;
  stats.waited = next_.waited();
  stats.wait_ratio = next_.wait_ratio();
  return stats;
}

absl::Status LoaderCore::OnDescribed(ServerLink&,
                                     const ServerDescription& description) {
  const auto& accept = state_.session.accept;
  return accept ? accept(description) : absl::OkStatus();
}

void LoaderCore::OnServerUp(ServerLink&) { PumpSoon(); }

void LoaderCore::OnServerDown(ServerLink& link, std::vector<OpenGrant> lost) {
  answers_->OnServerDown(link, lost, strand_->Now());
  PumpSoon();
}

void LoaderCore::OnGrantEnd(ServerLink& link, const OpenGrant& grant,
                            GrantEnd end) {
  PumpSoon();
  answers_->OnGrantEnd(link, grant, std::move(end), strand_->Now());
  NoteWaits(grant.batch());
}

}  // namespace tributary
