#include "partition/format/node_map.h"

#include <random>

#include "gtest/gtest.h"
#include "partition/schema/schema.h"

namespace tributary {
namespace {

TEST(NodeMap, BlocksGrowWithThePartitions) {
  EXPECT_EQ(NodeMap::BlockSize(1), 512);
  EXPECT_EQ(NodeMap::BlockSize(64), 512);
  EXPECT_EQ(NodeMap::BlockSize(65), 520);
}

TEST(NodeMap, ABytePerNodeHoldsTheNumbersOf256Partitions) {
  for (const uint32_t narrow : {1u, 2u, 255u, 256u}) {
    EXPECT_TRUE(NodeMap::IsNarrow(narrow)) << narrow;
  }
  for (const uint32_t wide : {257u, 65535u, 65536u}) {
    EXPECT_FALSE(NodeMap::IsNarrow(wide)) << wide;
  }
}

TEST(NodeMap, RanksCountEarlierNodesOfEachPartition) {
  std::vector<uint16_t> partition_of(1030);
  for (size_t i = 0; i < partition_of.size(); ++i) partition_of[i] = i % 4 == 3;
  EXPECT_EQ(NodeMap::MakeRanks(partition_of, 2),
            (std::vector<uint64_t>{0, 0, 384, 128, 768, 256}));
  EXPECT_TRUE(NodeMap::MakeRanks({}, 2).empty());
}

void ExpectLocates(const NodeMap& map,
                   const std::vector<uint16_t>& partition_of,
                   uint32_t num_partitions) {
  std::vector<uint64_t> rows(num_partitions, 0);
  for (size_t i = 0; i < partition_of.size(); ++i) {
    const auto found = map.Locate(static_cast<int64_t>(i));
    ASSERT_TRUE(found.ok()) << found.status();
    const uint32_t p = partition_of[i];
    ASSERT_EQ(*found, (NodeLocation{p, rows[p]++})) << i;
  }
}

TEST(NodeMap, LocatesEveryNode) {
  for (uint32_t num_partitions :
       {1u, 2u, 7u, 100u, 255u, 256u, 257u, 3000u, 65535u, 65536u}) {
    std::mt19937 random(num_partitions);
    std::vector<uint16_t> wide(5000);
    for (uint16_t& p : wide)
      p = static_cast<uint16_t>(random() % num_partitions);
    wide[4000] = static_cast<uint16_t>(num_partitions - 1);
    const auto ranks = NodeMap::MakeRanks(wide, num_partitions);
    ExpectLocates(NodeMap(absl::MakeConstSpan(wide), ranks, num_partitions),
                  wide, num_partitions);
    if (!NodeMap::IsNarrow(num_partitions)) continue;
    const std::vector<uint8_t> narrow(wide.begin(), wide.end());
    ExpectLocates(NodeMap(absl::MakeConstSpan(narrow), ranks, num_partitions),
                  wide, num_partitions);
  }
}

TEST(NodeMap, RefusesWhatIsNotThere) {
  const std::vector<uint8_t> partition_of = {0, 1, 9};
  const std::vector<uint64_t> ranks = {0, 0};
  const NodeMap map(absl::MakeConstSpan(partition_of), ranks, 2);
  EXPECT_EQ(map.Locate(3).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(map.Locate(-1).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(map.Locate(2).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(NodeMap().Locate(0).status().code(), absl::StatusCode::kOutOfRange);
}

TEST(NodeTypeSchema, PartitionOfSkipsEmptyOnes) {
  NodeTypeSchema type;
  type.num_nodes = 5;
  type.base = {0, 0, 2, 2, 5, 5};
  const uint32_t expected[] = {1, 1, 3, 3, 3};
  for (int64_t i = 0; i < 5; ++i) EXPECT_EQ(type.PartitionOf(i), expected[i]);
  type.base = {0, 5};
  EXPECT_EQ(type.PartitionOf(4), 0);
}

}  // namespace
}  // namespace tributary
