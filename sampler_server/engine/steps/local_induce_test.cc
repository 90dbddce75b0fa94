#include "sampler_server/engine/steps/local_induce.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sampler_server/engine/testing/four_nodes.h"

namespace tributary {
namespace {

// The induced edges of ThreeOfFourNodes, with both partitions here.
class LocalInduceTest : public testing::Test {
 protected:
  const std::shared_ptr<MemoryGraph> graph_ = FourNodes();
  const InducedNodes nodes_{ThreeOfFourNodes(), ThreeOfFourNodes(), 4, 4, 0};
  const NodeSet sources_{ThreeOfFourNodes()};
  const LocalInduce local_{*graph_, 0, nodes_, sources_};
  std::vector<InduceShare> shares_ = MakeInduceShares(*graph_, 0, nodes_);
  InducedEdgeTable table_{3};
};

TEST_F(LocalInduceTest, CountsAndTakes) {
  const auto scanned = local_.CountSome(100, &shares_[0], &table_);
  ASSERT_TRUE(scanned.ok()) << scanned.status();
  EXPECT_EQ(*scanned, 2u);
  EXPECT_TRUE(shares_[0].done());
  EXPECT_EQ(*local_.CountSome(100, &shares_[1], &table_), 4u);
  EXPECT_TRUE(shares_[1].done());
  EXPECT_EQ(table_.count(0), 2u);
  EXPECT_EQ(table_.count(1), 1u);
  EXPECT_EQ(table_.count(2), 2u);

  table_.Allocate(true);
  for (const size_t i : {1, 0}) {
    shares_[i].BeginPass();
    ASSERT_TRUE(local_.TakeSome(&shares_[i], &table_).ok());
    EXPECT_TRUE(shares_[i].done());
  }
  const SampledHop hop = table_.Release();
  EXPECT_EQ(hop.src, (std::vector<uint32_t>{1, 2, 0, 1, 0}));
  EXPECT_EQ(hop.edge_ids, (std::vector<int64_t>{2, 3, 0, 6, 5}));
  EXPECT_EQ(hop.positions, (std::vector<uint64_t>{0, 1, 0, 2, 3}));
}

TEST_F(LocalInduceTest, StopsBeforeTheNodeThatExceedsTheLimit) {
  // Nodes 0 and 2 have two in-edges each.
  const auto scanned = local_.CountSome(3, &shares_[1], &table_);
  ASSERT_TRUE(scanned.ok()) << scanned.status();
  EXPECT_EQ(*scanned, 4u);
  EXPECT_EQ(shares_[1].next, 1u);
  EXPECT_EQ(table_.count(0), 2u);
  EXPECT_EQ(table_.count(2), 0u);
}

TEST_F(LocalInduceTest, DamagedRowsAreDataLoss) {
  graph_->indptr(0, 1)[1] = 100;
  EXPECT_EQ(local_.CountSome(100, &shares_[1], &table_).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST(LocalInduce, DoesAPieceOfManyNodesAtOnce) {
  MemoryGraphSpec spec;
  spec.node_types = {{.num_nodes = 300}};
  spec.edge_types.push_back({.edges = {{7, 1}, {8, 299}}});
  const auto graph = MemoryGraph::Make(spec);
  std::vector<uint64_t> ids(300);
  std::iota(ids.begin(), ids.end(), 0);
  const InducedNodes nodes{ids, ids, 300, 300, 0};
  const NodeSet sources(ids);
  const LocalInduce local(*graph, 0, nodes, sources);
  auto shares = MakeInduceShares(*graph, 0, nodes);
  InducedEdgeTable table(300);
  EXPECT_EQ(*local.CountSome(100, &shares[0], &table), 1u);
  EXPECT_EQ(shares[0].next, 256u);
  EXPECT_EQ(*local.CountSome(100, &shares[0], &table), 1u);
  EXPECT_TRUE(shares[0].done());
  table.Allocate(false);
  shares[0].BeginPass();
  // Nodes without edges are passed over.
  ASSERT_TRUE(local.TakeSome(&shares[0], &table).ok());
  EXPECT_TRUE(shares[0].done());
  EXPECT_EQ(table.Release().src, (std::vector<uint32_t>{7, 8}));
}

}  // namespace
}  // namespace tributary
