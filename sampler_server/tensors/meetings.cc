#include "sampler_server/tensors/meetings.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "sampler_server/tensors/rank_list.h"

namespace tributary {

Meetings::Meetings(uint32_t world, Executor* executor)
    : world_(world),
      values_(world),
      parked_(std::make_shared<ParkedCalls>(executor)) {}

absl::Status Meetings::CheckSequence(const Visit& visit) const {
  if (visit.sequence == held_ + 1) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "rank ", visit.rank, " comes to meeting ", visit.sequence, "; ", held_,
      " meetings are over, so it may come to ", held_ + 1,
      ": every rank makes the same meetings in the same order"));
}

absl::StatusOr<bool> Meetings::Come(const Visit& visit) {
  const size_t limit =
      std::min(kMaxValueBytes, kMaxAnswerBytes / std::max(world_, 1u));
  if (visit.value.size() > limit) {
    return absl::InvalidArgumentError(absl::StrCat(
        "rank ", visit.rank, " brings ", visit.value.size(),
        " bytes to a meeting of ", world_, " ranks; allowed: ", limit));
  }
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
    come_ = 0;
    values_.assign(world_, std::nullopt);
    parked_->Fail(why);
    return why;
  }
  auto& value = values_[visit.rank];
  if (value.has_value() && *value != visit.value) {
    return absl::InvalidArgumentError(
        absl::StrCat("rank ", visit.rank, " comes to meeting ", visit.sequence,
                     " again with another value"));
  }
  if (!value.has_value()) ++come_;
  value = visit.value;
  if (come_ < world_) return false;
  auto all = std::make_shared<std::vector<std::string>>();
  for (auto& one : values_) all->push_back(*std::exchange(one, std::nullopt));
  last_ = std::move(all);
  last_purpose_ = std::move(purpose_);
  come_ = 0;
  ++held_;
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
  if (sequence == held_) return last_;
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
