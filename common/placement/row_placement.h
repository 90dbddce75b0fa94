// The placement of a mutable tensor's rows on servers.
#ifndef TRIBUTARY_COMMON_PLACEMENT_ROW_PLACEMENT_H_
#define TRIBUTARY_COMMON_PLACEMENT_ROW_PLACEMENT_H_

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/runtime/work_slice.h"

namespace tributary {

// A server that holds rows.
struct RowMember {
  std::string address;       // as rank 0 reaches it
  uint64_t incarnation = 0;  // differs at each start of the server
  friend bool operator==(const RowMember&, const RowMember&) = default;
};

// The primary of each row, by arithmetic. Blocks of 64 rows go to 1024 shards
// in turn, and each shard to the member with the largest hash of (shard,
// address): rendezvous hashing (Thaler and Ravishankar 1998), so the order of
// the members changes nothing, and with one member more or less only its own
// shards move. Independent of the graph's partitions: rows spread alike where
// every server holds all partitions. A value; thread-safe.
class RowPlacement {
 public:
  static constexpr uint64_t kBlockRows = 64;
  static constexpr uint32_t kShards = 1024;
  static constexpr size_t kMaxMembers = 1024;

  // Sorts the members by address. INVALID_ARGUMENT without members, with more
  // than kMaxMembers, or with an address twice.
  static absl::StatusOr<RowPlacement> Create(std::vector<RowMember> members);

  // Ascending by address.
  const std::vector<RowMember>& members() const { return members_; }

  // Returns the index of the member that holds `row`.
  uint32_t MemberOf(uint64_t row) const {
    return member_of_shard_[ShardOf(row)];
  }
  // Returns the row's place among the rows of its member, which are dense up to
  // the end of the last block.
  uint64_t LocalRow(uint64_t row) const {
    const uint64_t block = row / kBlockRows;
    const uint32_t shard = ShardOf(row);
    const uint64_t local_block =
        block / kShards * num_shards_[member_of_shard_[shard]] +
        rank_of_shard_[shard];
    return local_block * kBlockRows + row % kBlockRows;
  }
  // Returns the row at a place of a member: the inverse of LocalRow.
  uint64_t RowAt(uint32_t member, uint64_t local_row) const;
  // Returns how many places a member needs for a tensor of `num_rows` rows;
  // those of rows beyond num_rows stay unused.
  uint64_t LocalRows(uint32_t member, uint64_t num_rows) const;

 private:
  friend class RowPlacementSteps;
  RowPlacement() = default;
  static uint32_t ShardOf(uint64_t row) {
    return static_cast<uint32_t>(row / kBlockRows % kShards);
  }

  std::vector<RowMember> members_;
  std::array<uint16_t, kShards> member_of_shard_{};
  std::array<uint16_t, kShards> rank_of_shard_{};  // among the member's shards
  std::vector<uint16_t> num_shards_;               // by member
  std::vector<std::vector<uint16_t>> shards_;      // by member, ascending
};

// Makes a placement in steps: with many members it takes a million hashes. For
// one thread at a time.
class RowPlacementSteps {
 public:
  // Errors are those of RowPlacement::Create.
  static absl::StatusOr<RowPlacementSteps> Begin(
      std::vector<RowMember> members);

  // Returns whether the placement is complete.
  bool Step(WorkSlice& slice);
  // Requires that it is.
  RowPlacement Take() { return std::move(placement_); }

 private:
  RowPlacementSteps() = default;
  // Compares member_ with the best one of the shard so far.
  void Compare();
  void PlaceShard();
  void CountShards();

  RowPlacement placement_;
  uint32_t shard_ = 0;
  size_t member_ = 0;
  size_t best_ = 0;  // of the members before member_
  uint64_t best_score_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_PLACEMENT_ROW_PLACEMENT_H_
