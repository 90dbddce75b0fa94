#include "tests/sim/delivery_ledger.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "trainer_client/core/fleet/death_record.h"

namespace tributary {

bool DeliveryLedger::Take(int trainer, uint64_t index, absl::Time now) {
  if (index >= entries_.size()) {
    verdict_->Fail("unknown batch",
                   absl::StrCat("trainer ", trainer, " got ", index, " of ",
                                entries_.size()));
    return false;
  }
  Entry& entry = entries_[index];
  if (entry.trainer >= 0) {
    verdict_->Fail("delivered twice",
                   absl::StrCat("batch ", index, " to trainer ", entry.trainer,
                                " and to trainer ", trainer));
    return false;
  }
  entry = {trainer, now};
  return true;
}

void DeliveryLedger::OnBatch(int trainer, uint64_t wanted,
                             const BatchView& view, absl::Time now) {
  const uint64_t index = view.key().index;
  if (index != wanted) {
    return verdict_->Fail("out of order",
                          absl::StrCat("trainer ", trainer, " got ", index,
                                       ", its next is ", wanted));
  }
  if (!Take(trainer, index, now)) return;
  ++coverage_->batches;
  const ExpectedBatch& expected = (*expected_)[index];
  if (!expected.Matches(view)) {
    verdict_->Fail(
        "wrong bytes",
        absl::StrCat("batch ", index, " at trainer ", trainer, " has digest ",
                     ToHex(view.Digest()), ", not ", expected.digest));
  }
}

void DeliveryLedger::OnError(int trainer, uint64_t wanted,
                             const absl::Status& why, const SimExcuses& excuses,
                             absl::Time now) {
  if (!Take(trainer, wanted, now)) return;
  const uint64_t bytes = (*expected_)[wanted].room_bytes;
  const bool too_large =
      bytes > excuses.ring_bytes || bytes > excuses.credit_bytes;
  if (too_large && (absl::IsInvalidArgument(why) || excuses.lies)) {
    ++coverage_->too_large;
  } else if (absl::IsAborted(why) && (excuses.several_died || excuses.lies) &&
             excuses.deaths >= static_cast<int>(DeathRecord::kMinDeaths)) {
    ++coverage_->given_up;
  } else {
    verdict_->Fail(
        "an error while owners live",
        absl::StrCat("batch ", wanted, " of ", bytes, " bytes at trainer ",
                     trainer, ": ", why.ToString()));
  }
}

void DeliveryLedger::OnRelease(int trainer, const BatchView& view) {
  const uint64_t index = view.key().index;
  if (index >= entries_.size() || (*expected_)[index].Matches(view)) return;
  verdict_->Fail("changed in the user's hands",
                 absl::StrCat("batch ", index, " at trainer ", trainer));
}

void DeliveryLedger::TakeBack(int trainer, uint64_t index) {
  if (index >= entries_.size() || entries_[index].trainer != trainer) return;
  entries_[index] = Entry();
  ++coverage_->rolled_back;
}

void DeliveryLedger::CheckComplete() {
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].trainer >= 0) continue;
    return verdict_->Fail("never delivered", absl::StrCat("batch ", i));
  }
}

}  // namespace tributary
