#include "sampler_server/engine/steps/induce_share.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sampler_server/engine/testing/four_nodes.h"

namespace tributary {
namespace {

using Numbers = std::vector<uint32_t>;
using Ids = std::vector<uint64_t>;

TEST(InduceShare, APartitionHasItsNodesInAscendingOrder) {
  const auto graph = FourNodes()->Only({1});
  const InducedNodes nodes{ThreeOfFourNodes(), ThreeOfFourNodes(), 4, 4, 0};
  const auto shares = MakeInduceShares(*graph, 0, nodes);
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0].partition, 0u);
  EXPECT_FALSE(shares[0].here);
  EXPECT_EQ(shares[0].nodes, Numbers{1});
  EXPECT_EQ(shares[1].partition, 1u);
  EXPECT_TRUE(shares[1].here);
  EXPECT_EQ(shares[1].nodes, (Numbers{0, 2}));
  EXPECT_EQ(shares[1].bytes(), 8u);
}

TEST(InduceShare, APartitionWithoutNodesHasNone) {
  const Ids ids = {0, 1};
  const auto shares = MakeInduceShares(*FourNodes(), 0, {ids, ids, 4, 4, 0});
  ASSERT_EQ(shares.size(), 1u);
  EXPECT_EQ(shares[0].partition, 0u);
  EXPECT_EQ(shares[0].nodes, (Numbers{0, 1}));
}

TEST(InduceShare, NodesOfTreesGoByTheirNodes) {
  const Ids ids = {2, 4, 7, 1};  // of trees 0, 1, 1, 0: nodes 2, 0, 3, 1
  const InducedNodes nodes{ids, ids, 4, 4, 2};
  const auto shares = MakeInduceShares(*FourNodes(), 0, nodes);
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0].nodes, (Numbers{1, 3}));
  EXPECT_EQ(shares[1].nodes, (Numbers{0, 2}));
  // Node 3 of tree 1 is row 1 of a partition whose first node is 2; sources of
  // its tree have the ids 4 to 7.
  const InducedRow row = nodes.RowOf(2, 2);
  EXPECT_EQ(row.row, 1u);
  EXPECT_EQ(row.first_id, 4u);
  EXPECT_EQ(nodes.source_id_bytes(), 1u);
}

TEST(InduceShare, ManyNodesAreSplitInPieces) {
  MemoryGraphSpec spec;
  spec.num_partitions = 2;
  spec.node_types = {{.num_nodes = 600}};
  spec.edge_types.push_back({.edges = {{0, 1}}});
  Ids ids(600);
  std::iota(ids.rbegin(), ids.rend(), 0);
  const auto shares =
      MakeInduceShares(*MemoryGraph::Make(spec), 0, {ids, ids, 600, 600, 0});
  // Number i is node 599 - i; nodes from 300 on are of partition 1.
  ASSERT_EQ(shares.size(), 2u);
  Numbers expected(300);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(shares[0].partition, 1u);
  EXPECT_EQ(shares[0].nodes, expected);
  std::iota(expected.begin(), expected.end(), 300);
  EXPECT_EQ(shares[1].partition, 0u);
  EXPECT_EQ(shares[1].nodes, expected);
  EXPECT_EQ(shares[1].bytes(), 1200u);  // no byte more than they need
}

}  // namespace
}  // namespace tributary
