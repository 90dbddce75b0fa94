#include "sampler_server/tensors/round_staging.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// A part's places in the list of parts, which grows by copying, and in its
// rank's set, its payload's owner, and its reservation.
constexpr size_t kPartBytes = 3 * sizeof(RoundPart) + 512;

// A push's places in its part, among the pushes of its tensor, and in the map
// of steps, with what the allocator adds to its rows.
constexpr size_t kPushBytes =
    sizeof(StagedPush) + RoundSteps::kBytesPerPush +
    sizeof(std::pair<const TensorTable* const, OptimizerStep>) + 144;

}  // namespace

void RoundStaging::Rank::Add(uint32_t part) {
  if (part != next) {
    ahead.insert(part);
    return;
  }
  ++next;
  for (; !ahead.empty() && *ahead.begin() == next; ++next) {
    ahead.erase(ahead.begin());
  }
}

size_t RoundStaging::BytesOf(const RoundPart& part, size_t payload,
                             size_t num_rows, size_t num_pushes) const {
  if (num_pushes == 0) {
    MutexLock lock(mutex_);
    // If it is not the next one any more when it is staged, it was staged.
    if (part.round == applied_ + 1 && part.part == ranks_[part.rank].next) {
      return 0;
    }
  }
  return payload + num_rows * sizeof(uint64_t) + num_pushes * kPushBytes +
         kPartBytes;
}

absl::Status RoundStaging::Check(const RoundPart& part) const {
  MutexLock lock(mutex_);
  return CheckLocked(part);
}

bool RoundStaging::HasLocked(const RoundPart& part) const {
  return (part.round > 0 && part.round <= applied_) ||
         (part.round == applied_ + 1 && ranks_[part.rank].Has(part.part));
}

bool RoundStaging::Has(const RoundPart& part) const {
  MutexLock lock(mutex_);
  return HasLocked(part);
}

absl::Status RoundStaging::CheckLocked(const RoundPart& part) const {
  if (part.round == 0 || part.round > kMaxRound || part.part >= kMaxParts) {
    return absl::InvalidArgumentError(absl::StrCat(
        "part ", part.part, " of round ", part.round, "; allowed: rounds 1 to ",
        kMaxRound, ", parts 0 to ", kMaxParts - 1));
  }
  if (HasLocked(part)) return absl::OkStatus();
  const size_t used =
      part.round == applied_ + 1 ? ranks_[part.rank].bytes : size_t{0};
  if (part.bytes > rank_limit_ - std::min(rank_limit_, used)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "rank ", part.rank, " stages ", used + part.bytes,
        " bytes of gradients in round ", part.round, " on this server; its ",
        "share, of the part of --tensor-memory that its job stages, for ",
        ranks_.size(), " ranks, is ", rank_limit_,
        ": raise --tensor-memory or make batches smaller"));
  }
  if (part.round != applied_ + 1) return absl::OkStatus();
  const Rank& rank = ranks_[part.rank];
  if ((rank.last && part.part > *rank.last) ||
      (part.closes && rank.HasAbove(part.part))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "rank ", part.rank, " sends part ", part.part, " of round ", part.round,
        ", which closes with part ", rank.last ? *rank.last : part.part));
  }
  for (const StagedPush& push : part.pushes) {
    const auto it = steps_.find(push.table.get());
    if (it == steps_.end() || it->second == push.step) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "rank ", part.rank, " steps tensor '", push.table->shape().name,
        "' in round ", part.round,
        " with other hyperparameters than another push: they are equal at all "
        "ranks"));
  }
  return absl::OkStatus();
}

absl::StatusOr<RoundStaging::Taken> RoundStaging::Stage(RoundPart part) {
  MutexLock lock(mutex_);
  if (HasLocked(part)) return Taken::kStaged;
  if (part.round > applied_ + 1) return Taken::kAhead;
  Rank& rank = ranks_[part.rank];
  RETURN_IF_ERROR(CheckLocked(part));
  pushed_ = true;
  rank.Add(part.part);
  rank.bytes += part.bytes;
  if (part.closes) rank.last = part.part;
  for (const StagedPush& push : part.pushes) {
    steps_.emplace(push.table.get(), push.step);
  }
  // One without pushes that came early keeps the memory of its number.
  if (part.bytes > 0) staged_.push_back(std::move(part));
  if (rank.closed() && ++num_closed_ == ranks_.size()) return Taken::kComplete;
  return Taken::kStaged;
}

bool RoundStaging::ApplyRound(WorkSlice& slice) {
  if (applying_ == nullptr) {
    MutexLock lock(mutex_);
    applying_ = std::make_unique<RoundSteps>(
        std::exchange(staged_, {}), static_cast<uint32_t>(applied_ + 1));
  }
  if (!applying_->Step(slice)) return false;
  applying_ = nullptr;
  MutexLock lock(mutex_);
  ++applied_;
  num_closed_ = 0;
  steps_.clear();
  ranks_.assign(ranks_.size(), Rank());
  return true;
}

void RoundStaging::Clear() {
  std::vector<RoundPart> parts;  // destroyed without the lock
  MutexLock lock(mutex_);
  parts.swap(staged_);
  steps_.clear();
  for (Rank& rank : ranks_) rank.ahead.clear();
}

absl::Status RoundStaging::SetRound(uint64_t round) {
  MutexLock lock(mutex_);
  if (round > kMaxRound) {
    return absl::InvalidArgumentError(absl::StrCat(
        "round ", round, " of a snapshot; allowed: 0 to ", kMaxRound));
  }
  if (!pushed_ && (applied_ == 0 || applied_ == round)) {
    applied_ = round;
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("rounds begin after ", round, ", but ",
                   pushed_ ? "one has been pushed" : "they were set", " after ",
                   applied_, ": a snapshot comes first"));
}

uint64_t RoundStaging::applied() const {
  MutexLock lock(mutex_);
  return applied_;
}

std::vector<uint32_t> RoundStaging::Missing() const {
  MutexLock lock(mutex_);
  std::vector<uint32_t> missing;
  for (uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!ranks_[rank].closed()) missing.push_back(rank);
  }
  return missing;
}

}  // namespace tributary
