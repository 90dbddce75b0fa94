// Edges that a hop leaves out, asked of a peer: the same as if its partition
// were here.
#include <memory>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "sampler_server/engine/hop/hop.h"
#include "sampler_server/peers/peer_partitions.h"
#include "sampler_server/testing/sim_fleet.h"

namespace tributary {
namespace {

constexpr int64_t kNodes = 80, kEdges = 2000;

// Node v is in partition v % 2, and has 25 in-edges.
GraphSpec Spec() {
  GraphSpec spec;
  spec.num_nodes = kNodes;
  spec.num_partitions = 2;
  for (int64_t e = 0; e < kEdges; ++e) {
    spec.edges.push_back({e * 7 % 11 + e / 100, e % kNodes});
    spec.weight.push_back(static_cast<double>(e % 5));
  }
  return spec;
}

class LeftOutTest : public testing::Test {
 protected:
  LeftOutTest() {
    for (const uint32_t partition : {0u, 1u}) {
      SimServerOptions options;
      options.graph = Spec();
      options.partitions = {partition};
      options.leaf_budget = size_t{16} << 20;
      options.max_leaf_reply_bytes = 3000;  // many replies
      fleet_.Add(options);
    }
    fleet_.Settle();
    hop_.partition = 1;
    hop_.rule.key = {1, 2};
    hop_.rule.fanout = 6;
    hop_.rule.want_positions = true;
    for (uint32_t i = 0; i < kNodes; ++i) {
      hop_.rows.push_back(i * 3 % (kNodes / 2));
      hop_.local_numbers.push_back(i);
      hop_.trees.push_back(i / 40);
    }
  }

  HopEdges OfPeer() {
    std::optional<absl::StatusOr<HopEdges>> reply;
    SimServer& asks = *fleet_.servers[0];
    const auto strand = std::make_shared<Strand>(asks.executor);
    PeerPartitions peers(asks.graph->schema(), asks.directory);
    peers.SampleHop(hop_,
                    {asks.executor->Now() + absl::Seconds(60),
                     uint64_t{1} << 20, CancelToken()},
                    strand, [&](absl::StatusOr<HopEdges> edges) {
                      reply = std::move(edges);
                    });
    fleet_.world.RunUntil([&] { return reply.has_value(); }, absl::Minutes(2));
    EXPECT_TRUE(reply.has_value());
    EXPECT_TRUE(reply->ok()) << reply->status();
    return **std::move(reply);
  }

  HopEdges OfKernel() {
    HopQuery query(hop_.rule);
    query.rows = hop_.rows;
    query.local_numbers = hop_.local_numbers;
    query.trees = hop_.trees;
    query.excluded = {hop_.excluded, 0, UINT64_MAX};
    HopEdges edges;
    EXPECT_TRUE(
        SampleHop(*fleet_.servers[1]->graph->edges(0, 1), kNodes, query, &edges)
            .ok());
    return edges;
  }

  void ExpectSame() {
    const HopEdges peer = OfPeer(), kernel = OfKernel();
    EXPECT_EQ(peer.counts, kernel.counts);
    EXPECT_EQ(peer.neighbors, kernel.neighbors);
    EXPECT_EQ(peer.edge_ids, kernel.edge_ids);
    EXPECT_EQ(peer.positions, kernel.positions);
  }

  SimFleet fleet_{1};
  RemoteHop hop_;
};

TEST_F(LeftOutTest, ByIdAndBySource) {
  const HopEdges all = OfKernel();
  for (uint64_t row = 0; row < kNodes / 2; row += 2) {
    for (int64_t e = 0; e < kEdges; e += 3) {
      hop_.excluded.by_id.push_back({row, e});
    }
    for (uint64_t source = 0; source < 9; ++source) {
      hop_.excluded.by_source.push_back({row + 1, source});
    }
  }
  ASSERT_TRUE(hop_.excluded.Finish().ok());
  EXPECT_NE(OfKernel().edge_ids, all.edge_ids);
  ExpectSame();
}

// More than a request has room for: it is asked in parts.
TEST_F(LeftOutTest, MoreThanOneRequestTakes) {
  for (uint64_t row = 0; row < kNodes / 2; ++row) {
    for (int64_t e = 0; e < 3 * kEdges; ++e) {
      if (e % 3 != 0) hop_.excluded.by_id.push_back({row, e});
    }
  }
  ASSERT_TRUE(hop_.excluded.Finish().ok());
  ASSERT_GT(hop_.excluded.bytes(), size_t{2} << 20);
  ExpectSame();
}

TEST_F(LeftOutTest, ByConditions) {
  const HopEdges all = OfKernel();
  const GraphSchema& schema = fleet_.servers[1]->graph->schema();
  hop_.rule.predicate =
      EdgePredicate::Make(
          schema.edge_types[0],
          ParseEdgePredicates("edge_weight > 0.5 and edge_weight != 3")
              ->by_default)
          .value();
  EXPECT_NE(OfKernel().edge_ids, all.edge_ids);
  ExpectSame();
}

}  // namespace
}  // namespace tributary
