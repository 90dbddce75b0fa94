#include "trainer_client/core/window/loader_epoch.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::Status OtherOrder(absl::string_view what, const std::string& of_cursor,
                        const std::string& own) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the cursor was made with ", what, " ", of_cursor, ", this loader has ",
      own,
      "; allowed: a cursor of the same order, else inputs would be "
      "repeated or left out"));
}

std::string Text(bool value) { return value ? "true" : "false"; }

std::string ListText(const OrderIdentity& order) {
  if (order.own_world == 0) return "of all ranks";
  return absl::StrCat("of rank ", order.own_rank, " alone, in a world of ",
                      order.own_world);
}

absl::Status CheckOrder(const OrderIdentity& cursor, const OrderIdentity& own) {
  if (cursor.own_rank != own.own_rank || cursor.own_world != own.own_world) {
    return OtherOrder("a list of inputs", ListText(cursor), ListText(own));
  }
  if (cursor.graph != own.graph) {
    return OtherOrder("a graph of content", ToHex(cursor.graph),
                      ToHex(own.graph));
  }
  if (cursor.inputs != own.inputs) {
    return OtherOrder("the list of inputs with SHA-256", ToHex(cursor.inputs),
                      ToHex(own.inputs));
  }
  if (cursor.random_seed != own.random_seed) {
    return OtherOrder("random_seed", absl::StrCat(cursor.random_seed),
                      absl::StrCat(own.random_seed));
  }
  if (cursor.shuffle != own.shuffle) {
    return OtherOrder("shuffle", Text(cursor.shuffle), Text(own.shuffle));
  }
  if (cursor.drop_last != own.drop_last) {
    return OtherOrder("drop_last", Text(cursor.drop_last), Text(own.drop_last));
  }
  return absl::OkStatus();
}

}  // namespace

Cursor LoaderEpoch::CursorOf(uint64_t epoch) const {
  Cursor cursor;
  cursor.epoch = epoch;
  cursor.order = session_->order_identity();
  return cursor;
}

absl::Status LoaderEpoch::Check(const Cursor& cursor) const {
  RETURN_IF_ERROR(CheckOrder(cursor.order, session_->order_identity()));
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
