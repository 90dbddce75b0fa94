#include "trainer_client/core/loader_core.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {

LoaderCore::LoaderCore(LoaderCoreOptions options, LoaderSession session,
                       std::shared_ptr<Strand> strand)
    : options_(std::move(options)),
      session_(std::move(session)),
      strand_(std::move(strand)),
      ring_(options_.ring != nullptr ? options_.ring
                                     : SlotRing::Create(options_.buffer_size)),
      credit_size_(ring_->capacity(),
                   static_cast<uint64_t>(options_.prefetch_size) + 1,
                   session_.max_batch_bytes),
      jitter_({static_cast<uint32_t>(options_.jitter_seed),
               static_cast<uint32_t>(options_.jitter_seed >> 32)},
              1) {}

LoaderCore::~LoaderCore() {
  if (room_freed_ != nullptr) room_freed_->Mute();
}

void LoaderCore::Start(std::shared_ptr<ServerFleet> fleet) {
  fleet_ = std::move(fleet);
  fleet_->SetEvents(weak_from_this());
  fleet_->SetSession(session_.spec);
  room_freed_ =
      std::make_shared<StrandSignal>(strand_, [weak = weak_from_this()] {
        if (auto self = weak.lock()) self->Pump();
      });
  ring_->OnRoomFreed([signal = room_freed_] { signal->Signal(); });
}

absl::Status LoaderCore::StartEpoch(uint64_t epoch) {
  Cursor cursor;
  cursor.epoch = epoch;
  cursor.inputs = session_.inputs;
  return Begin(cursor);
}

absl::Status LoaderCore::Resume(const Cursor& cursor) {
  if (cursor.inputs != session_.inputs) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the cursor is of the input list with SHA-256 ", ToHex(cursor.inputs),
        ", this loader has ", ToHex(session_.inputs),
        "; go on with the list that the checkpoint was made with"));
  }
  const uint64_t num_inputs = session_.order.num_inputs;
  if (cursor.consumed > num_inputs) {
    return absl::InvalidArgumentError(absl::StrCat("the cursor has consumed ",
                                                   cursor.consumed, " of ",
                                                   num_inputs, " inputs"));
  }
  if (cursor.next_index > UINT64_MAX - num_inputs) {
    return absl::InvalidArgumentError(
        absl::StrCat("the cursor's next_index is ", cursor.next_index,
                     "; allowed: up to 2^64 - 1 less the number of inputs"));
  }
  return Begin(cursor);
}

absl::Status LoaderCore::Begin(const Cursor& cursor) {
  if (cancelled_) return absl::CancelledError("the loader was cancelled");
  if (waiting_) {
    return absl::FailedPreconditionError("a Next() is still waiting");
  }
  ++generation_;
  fleet_->AbandonAll();
  window_.Clear();
  order_ = std::make_shared<EpochOrder>(session_.order, cursor);
  next_nth_ = 0;
  started_ = room_is_short_ = false;
  return absl::OkStatus();
}

absl::Status LoaderCore::Limit(uint64_t from, uint64_t to) {
  if (order_ == nullptr || started_) {
    return absl::FailedPreconditionError(
        "Limit() comes right after StartEpoch() or Resume()");
  }
  EpochOrder limited = *order_;
  limited.Limit(from, to);
  if (limited.begin_index() == limited.end_index()) {
    return absl::InvalidArgumentError(
        absl::StrCat("no batch in [", from, ", ", to, "); allowed: some of [",
                     order_->begin_index(), ", ", order_->end_index(), ")"));
  }
  order_ = std::make_shared<EpochOrder>(std::move(limited));
  return absl::OkStatus();
}

Cursor LoaderCore::CursorAfter(uint64_t batches) const {
  if (order_ != nullptr) return order_->CursorAfter(batches);
  Cursor cursor;
  cursor.inputs = session_.inputs;
  return cursor;
}

void LoaderCore::Next(Delivered delivered) {
  if (cancelled_) {
    return delivered(absl::CancelledError("the loader was cancelled"));
  }
  if (order_ == nullptr) {
    return delivered(absl::FailedPreconditionError(
        "no epoch: call StartEpoch() or Resume() first"));
  }
  if (waiting_) {
    return delivered(absl::FailedPreconditionError(
        "another Next() waits; a loader has one user"));
  }
  started_ = true;
  waiting_ = std::move(delivered);
  waiting_since_ = strand_->Now();
  deadline_ = strand_->PostAfter(options_.rpc_timeout,
                                 [weak = weak_from_this(), wait = ++waits_] {
                                   if (auto self = weak.lock()) {
                                     self->OnDeadline(wait);
                                   }
                                 });
  Pump();
}

void LoaderCore::Deliver() {
  if (!waiting_) return;
  if (window_.empty()) return Answer(std::nullopt);
  switch (window_.front().state) {
    case PendingBatch::State::kReady:
    case PendingBatch::State::kFailed:
      return DeliverFront();
    case PendingBatch::State::kWanted:
    case PendingBatch::State::kAsked:
      break;
  }
  if (absl::Status full = LeasesFillRing(); !full.ok()) Answer(full);
}

void LoaderCore::DeliverFront() {
  PendingBatch batch = std::move(window_.front());
  window_.PopFront();
  PumpSoon();
  if (batch.state == PendingBatch::State::kFailed) return Answer(batch.error);
  absl::StatusOr<std::shared_ptr<const void>> room = batch.slot->Lend();
  if (!room.ok()) return Answer(room.status());
  ++stats_.batches;
  stats_.inputs += order_->InputsInBatch(batch.index);
  stats_.bytes += batch.slot->bytes().size();
  Answer(BatchLease(*std::move(batch.view), *std::move(room)));
}

// Last in whatever calls it: the callback may call in again.
void LoaderCore::Answer(absl::StatusOr<std::optional<BatchLease>> result) {
  strand_->CancelTimer(deadline_);
  stats_.waited += strand_->Now() - waiting_since_;
  Delivered delivered = std::exchange(waiting_, nullptr);
  delivered(std::move(result));
}

void LoaderCore::OnDeadline(uint64_t wait) {
  if (!waiting_ || wait != waits_ || window_.empty()) return;
  const PendingBatch& front = window_.front();
  fleet_->Abandon(front.index, generation_, nullptr);
  const std::string text = absl::StrCat(
      KeyOf(front.index).ToString(), " did not come within rpc_timeout = ",
      absl::FormatDuration(options_.rpc_timeout),
      "; last trouble: ", front.error.ok() ? "none" : front.error.ToString(),
      "; servers: ", fleet_->ToString());
  const auto code = fleet_->num_up() == 0 ? absl::StatusCode::kUnavailable
                                          : absl::StatusCode::kDeadlineExceeded;
  window_.PopFront();
  PumpSoon();
  Answer(absl::Status(code, text));
}

// Only when nothing but the user can make room: batches on their way, and those
// that lost servers may still write, come back by themselves.
absl::Status LoaderCore::LeasesFillRing() {
  if (!room_is_short_ || fleet_->num_open_grants() > 0) return absl::OkStatus();
  const SlotRingStats ring = ring_->stats();
  if (ring.leased == 0 || ring.used_bytes > ring.leased_bytes) {
    return absl::OkStatus();
  }
  const uint64_t least = LeastRoom(window_.front());
  if (ring.largest_free_bytes >= least) {
    return absl::OkStatus();  // a lease has just gone: it is asked for now
  }
  return absl::FailedPreconditionError(absl::StrCat(
      ring.leased, " batches still leased hold ", ring.leased_bytes, " of the ",
      ring_->capacity(), " bytes of ", options_.ring_option, ", with at most ",
      ring.largest_free_bytes, " free in one piece where ",
      KeyOf(window_.front().index).ToString(), " needs ", least,
      ": release some, or raise ", options_.ring_option));
}

void LoaderCore::Cancel() {
  if (std::exchange(cancelled_, true)) return;
  if (fleet_ != nullptr) fleet_->AbandonAll();
  ++generation_;
  window_.Clear();
  if (waiting_) Answer(absl::CancelledError("the loader was cancelled"));
}

void LoaderCore::Close(absl::AnyInvocable<void()> closed) {
  Cancel();
  room_freed_->Mute();
  fleet_->Close(std::move(closed));
}

BatchKey LoaderCore::KeyOf(uint64_t index) const {
  return {session_.identity, order_->epoch(), index};
}

}  // namespace tributary
