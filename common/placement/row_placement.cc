#include "common/placement/row_placement.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/hash/sha256.h"

namespace tributary {
namespace {

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
  std::sort(members.begin(), members.end(),
            [](const RowMember& a, const RowMember& b) {
              return a.address < b.address;
            });
  if (absl::Status s = CheckMembers(members); !s.ok()) return s;
  RowPlacement placement;
  placement.members_ = std::move(members);
  const size_t n = placement.members_.size();
  placement.shards_.resize(n);
  for (uint32_t shard = 0; shard < kShards; ++shard) {
    size_t best = 0;
    uint64_t best_score = 0;
    for (size_t m = 0; m < n; ++m) {
      const uint64_t score = ScoreOf(shard, placement.members_[m].address);
      if (m > 0 && score <= best_score) continue;
      best = m;
      best_score = score;
    }
    placement.member_of_shard_[shard] = static_cast<uint16_t>(best);
    placement.rank_of_shard_[shard] =
        static_cast<uint16_t>(placement.shards_[best].size());
    placement.shards_[best].push_back(static_cast<uint16_t>(shard));
  }
  for (const auto& shards : placement.shards_) {
    placement.num_shards_.push_back(static_cast<uint16_t>(shards.size()));
  }
  return placement;
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
