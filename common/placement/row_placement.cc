#include "common/placement/row_placement.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/hash/sha256.h"

namespace tributary {
namespace {

// The work of a hash, and of each byte of the address in it (WorkSlice).
constexpr uint64_t kWorkPerHash = 500;
constexpr uint64_t kWorkPerHashedByte = 4;

uint64_t ScoreOf(uint32_t shard, const std::string& address) {
  Sha256 sha;
  sha.Update("tributary.row-placement");
  sha.UpdateU64(shard);
  sha.Update(address);
  const Sha256Digest digest = sha.Finish();
  uint64_t score = 0;
  for (int i = 0; i < 8; ++i) score = score << 8 | digest[i];
  return score;
}

absl::Status CheckMembers(const std::vector<RowMember>& sorted) {
  if (sorted.empty() || sorted.size() > RowPlacement::kMaxMembers) {
    return absl::InvalidArgumentError(absl::StrCat("rows on ", sorted.size(),
                                                   " servers; allowed: 1 to ",
                                                   RowPlacement::kMaxMembers));
  }
  for (size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].address != sorted[i - 1].address) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the server ", sorted[i].address, " is listed twice to hold rows"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RowPlacement> RowPlacement::Create(
    std::vector<RowMember> members) {
  auto steps = RowPlacementSteps::Begin(std::move(members));
  if (!steps.ok()) return steps.status();
  WorkSlice whole = WorkSlice::Unlimited();
  steps->Step(whole);
  return steps->Take();
}

absl::StatusOr<RowPlacementSteps> RowPlacementSteps::Begin(
    std::vector<RowMember> members) {
  std::sort(members.begin(), members.end(),
            [](const RowMember& a, const RowMember& b) {
              return a.address < b.address;
            });
  if (absl::Status s = CheckMembers(members); !s.ok()) return s;
  RowPlacementSteps steps;
  steps.placement_.members_ = std::move(members);
  steps.placement_.shards_.resize(steps.placement_.members_.size());
  return steps;
}

bool RowPlacementSteps::Step(WorkSlice& slice) {
  while (shard_ < RowPlacement::kShards) {
    if (slice.used_up()) return false;
    const std::string& address = placement_.members_[member_].address;
    slice.Spend(kWorkPerHash + kWorkPerHashedByte * address.size());
    Compare();
    if (++member_ == placement_.members_.size()) PlaceShard();
  }
  return true;
}

void RowPlacementSteps::Compare() {
  const uint64_t score = ScoreOf(shard_, placement_.members_[member_].address);
  if (member_ > 0 && score <= best_score_) return;
  best_ = member_;
  best_score_ = score;
}

void RowPlacementSteps::PlaceShard() {
  auto& shards = placement_.shards_[best_];
  placement_.member_of_shard_[shard_] = static_cast<uint16_t>(best_);
  placement_.rank_of_shard_[shard_] = static_cast<uint16_t>(shards.size());
  shards.push_back(static_cast<uint16_t>(shard_));
  member_ = 0;
  if (++shard_ == RowPlacement::kShards) CountShards();
}

void RowPlacementSteps::CountShards() {
  for (const auto& shards : placement_.shards_) {
    placement_.num_shards_.push_back(static_cast<uint16_t>(shards.size()));
  }
}

uint64_t RowPlacement::RowAt(uint32_t member, uint64_t local_row) const {
  const std::vector<uint16_t>& shards = shards_[member];
  const uint64_t local_block = local_row / kBlockRows;
  const uint64_t block = local_block / shards.size() * kShards +
                         shards[local_block % shards.size()];
  return block * kBlockRows + local_row % kBlockRows;
}

uint64_t RowPlacement::LocalRows(uint32_t member, uint64_t num_rows) const {
  const std::vector<uint16_t>& shards = shards_[member];
  const uint64_t blocks = (num_rows + kBlockRows - 1) / kBlockRows;
  const auto below = std::lower_bound(shards.begin(), shards.end(),
                                      static_cast<uint16_t>(blocks % kShards));
  const uint64_t local_blocks = blocks / kShards * shards.size() +
                                static_cast<uint64_t>(below - shards.begin());
  return local_blocks * kBlockRows;
}

}  // namespace tributary
