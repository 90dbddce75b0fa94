#include "trainer_client/core/window/loader_epoch.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {

Cursor LoaderEpoch::CursorOf(uint64_t epoch) const {
  Cursor cursor;
  cursor.epoch = epoch;
  cursor.inputs = session_->inputs;
  return cursor;
}

absl::Status LoaderEpoch::Check(const Cursor& cursor) const {
  if (cursor.inputs != session_->inputs) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the cursor is of the input list with SHA-256 ", ToHex(cursor.inputs),
        ", this loader has ", ToHex(session_->inputs),
        "; go on with the list that the checkpoint was made with"));
  }
  const uint64_t num_inputs = session_->order.num_inputs;
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
  return absl::OkStatus();
}

void LoaderEpoch::Begin(const Cursor& cursor) {
  ++generation_;
  order_ = std::make_shared<EpochOrder>(session_->order, cursor);
  next_nth_ = 0;
  started_ = false;
}

absl::Status LoaderEpoch::Limit(uint64_t from, uint64_t to) {
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

Cursor LoaderEpoch::CursorAfter(uint64_t batches) const {
  return order_ == nullptr ? CursorOf(0) : order_->CursorAfter(batches);
}

}  // namespace tributary
