#include "sampler_server/tensors/meetings.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "sampler_server/tensors/rank_list.h"

namespace tributary {
namespace {

// What the allocator adds to a value and a purpose.
constexpr size_t kValueBytes = 64;

// The values of a meeting that is over, and their memory.
struct HeldValues {
  std::vector<std::string> values;
  std::vector<BudgetShare::Hold> memory;
};

}  // namespace

Meetings::Meetings(uint32_t world, Executor* executor,
                   std::shared_ptr<BudgetShare> share)
    : world_(world),
      share_(std::move(share)),
      values_(world),
      parked_(std::make_shared<ParkedCalls>(executor)) {}

absl::Status Meetings::CheckSequence(const Visit& visit) const {
  if (visit.sequence == held_ + 1) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "rank ", visit.rank, " comes to meeting ", visit.sequence, "; ", held_,
      " meetings are over, so it may come to ", held_ + 1,
      ": every rank makes the same meetings in the same order"));
}

absl::Status Meetings::CheckSizes(const Visit& visit) const {
  const size_t limit =
      std::min(kMaxValueBytes, kMaxAnswerBytes / std::max(world_, 1u));
  if (visit.value.size() > limit) {
    return absl::InvalidArgumentError(absl::StrCat(
        "rank ", visit.rank, " brings ", visit.value.size(),
        " bytes to a meeting of ", world_, " ranks; allowed: ", limit));
  }
  if (visit.purpose.size() <= kMaxPurposeBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "rank ", visit.rank, " comes to a meeting whose name has ",
      visit.purpose.size(), " bytes; allowed: ", kMaxPurposeBytes));
}

void Meetings::Disband() {
  come_ = 0;
  for (auto& value : values_) value.reset();
}

void Meetings::Conclude() {
  auto held = std::make_shared<HeldValues>();
  held->values.reserve(world_);
  held->memory.reserve(world_);
  for (auto& value : values_) {
    held->values.push_back(std::move(value->value));
    held->memory.push_back(std::move(value->memory));
  }
  Disband();
  last_ = Values(held, &held->values);
  last_purpose_ = std::move(purpose_);
  ++held_;
}

void Meetings::End(const absl::Status& why) {
  parked_->End(why);
  Values last;  // destroyed without the lock
  MutexLock lock(mutex_);
  Disband();
  last.swap(last_);
}

absl::StatusOr<bool> Meetings::Come(const Visit& visit) {
  RETURN_IF_ERROR(CheckSizes(visit));
  MutexLock lock(mutex_);
  if (visit.sequence == held_ && held_ > 0) {
    if (visit.purpose == last_purpose_) return false;
    return absl::InvalidArgumentError(absl::StrCat(
        "meeting ", held_, " was for '", TerminalLine(last_purpose_),
        "', not for '", TerminalLine(visit.purpose), "'"));
  }
  RETURN_IF_ERROR(CheckSequence(visit));
  if (come_ == 0) {
    purpose_ = visit.purpose;
    first_rank_ = visit.rank;
  } else if (visit.purpose != purpose_) {
    const absl::Status why = absl::InvalidArgumentError(
        absl::StrCat("meeting ", visit.sequence, ": rank ", visit.rank,
                     " comes for '", TerminalLine(visit.purpose), "', rank ",
                     first_rank_, " came for '", TerminalLine(purpose_),
                     "': every rank makes the same calls in the same order"));
    Disband();
    parked_->Fail(why);
    return why;
  }
  auto& brought = values_[visit.rank];
  if (brought.has_value()) {
    if (brought->value == visit.value) return false;
    return absl::InvalidArgumentError(
        absl::StrCat("rank ", visit.rank, " comes to meeting ", visit.sequence,
                     " again with another value"));
  }
  BudgetShare::Hold memory;
  if (share_ != nullptr) {
    ASSIGN_OR_RETURN(memory,
                     share_->TryTake(visit.value.size() + visit.purpose.size() +
                                     kValueBytes));
  }
  brought.emplace(Brought{visit.value, std::move(memory)});
  if (++come_ < world_) return false;
  Conclude();
  return true;
}

absl::Status Meetings::Missing(uint64_t sequence,
                               const std::string& purpose) const {
  std::vector<uint32_t> missing;
  {
    MutexLock lock(mutex_);
    for (uint32_t rank = 0; rank < world_; ++rank) {
      if (held_ < sequence && !values_[rank].has_value()) {
        missing.push_back(rank);
      }
    }
  }
  return absl::DeadlineExceededError(
      absl::StrCat("meeting ", sequence, " for '", TerminalLine(purpose),
                   "': ", RankList(missing), " of ", world_, " did not come"));
}

absl::StatusOr<Meetings::Values> Meetings::AnswerOf(uint64_t sequence) const {
  MutexLock lock(mutex_);
  if (sequence == held_ && last_ != nullptr) return last_;
  return absl::FailedPreconditionError(
      absl::StrCat("meeting ", sequence, " is over, and a later one as well"));
}

void Meetings::Meet(Visit visit, Done done) {
  const auto complete = Come(visit);
  if (!complete.ok()) return done(complete.status());
  const uint64_t sequence = visit.sequence;
  if (*complete) parked_->Reach(sequence);
  parked_->Park(
      sequence, visit.deadline, visit.cancel,
      [this, sequence, purpose = visit.purpose] {
        return Missing(sequence, purpose);
      },
      [this, sequence, done = std::move(done)](absl::Status status) mutable {
        if (!status.ok()) return done(std::move(status));
        done(AnswerOf(sequence));
      });
}

}  // namespace tributary
