#include "sampler_server/kinds/ppr/push_sums.h"

#include <gtest/gtest.h>

#include <map>

namespace tributary {
namespace {

constexpr uint64_t kWhole = uint64_t{1} << 32;

// By number: each node's neighbours.
SeenGraph GraphOf(const std::vector<std::vector<uint32_t>>& neighbors) {
  SeenGraph graph(neighbors.size());
  std::vector<uint64_t> ids, degrees;
  std::vector<uint32_t> numbers(neighbors.size()), wanted, all;
  for (uint32_t v = 0; v < neighbors.size(); ++v) {
    ids.push_back(v);
    degrees.push_back(neighbors[v].size());
    wanted.push_back(v);
    all.insert(all.end(), neighbors[v].begin(), neighbors[v].end());
  }
  EXPECT_TRUE(graph.Number(ids, numbers.data(), 1 << 20));
  graph.AddDegrees(degrees);
  for (const uint32_t v : wanted) EXPECT_TRUE(graph.WantNeighbors(v));
  graph.AddNeighbors(wanted, all);
  return graph;
}

std::map<uint32_t, uint64_t> ScoresOf(PushSums& push, const SeenGraph& graph,
                                      size_t k, int most_rounds = 1000) {
  while (most_rounds-- > 0 && push.Choose(graph)) push.Push(graph);
  push.KeepLargest(k);
  std::map<uint32_t, uint64_t> scores;
  for (const auto& node : push.largest()) scores[node.number] = node.score;
  return scores;
}

// 0 has neighbours 1, 1 and 2; 1 has none; 2 has 0.
const std::vector<std::vector<uint32_t>> kThree = {{1, 1, 2}, {}, {0}};

TEST(PushSums, TwoRoundsByHand) {
  const SeenGraph graph = GraphOf(kThree);
  // Half stays. 0.3 x 3 is more than comes back to 0.
  PushSums push({kWhole / 2, kWhole / 10 * 3}, 0);
  // Round 1: of 2^62, 2^61 stay at 0, a third of 2^61 goes along each edge.
  // 2^61 = 3 x 768614336404564650 + 2: two units stay as well. Round 2: 1 has
  // no neighbours and keeps all; a sixth of all is less than 0.3.
  const uint64_t each = 768614336404564650;
  EXPECT_EQ(ScoresOf(push, graph, 5),
            (std::map<uint32_t, uint64_t>{{0, (uint64_t{1} << 61) + 2},
                                          {1, 2 * each}}));
}

TEST(PushSums, AnInputPushesWhateverItsDegree) {
  const SeenGraph graph = GraphOf({{1, 1, 1, 1}, {}});
  PushSums push({kWhole / 2, kWhole}, 0);
  EXPECT_EQ(ScoresOf(push, graph, 5),
            (std::map<uint32_t, uint64_t>{{0, uint64_t{1} << 61},
                                          {1, uint64_t{1} << 61}}));
}

// Two nodes that lead to each other, and a residual that is exactly enough.
TEST(PushSums, AResidualOfExactlyEpsilonIsPushed) {
  const SeenGraph graph = GraphOf({{1}, {0}});
  PushSums push({kWhole / 2, kWhole / 4}, 0);
  EXPECT_EQ(ScoresOf(push, graph, 5),
            (std::map<uint32_t, uint64_t>{
                {0, (uint64_t{1} << 61) + (uint64_t{1} << 59)},
                {1, uint64_t{1} << 60}}));
  PushSums less({kWhole / 2, kWhole / 4 + 1}, 0);
  EXPECT_EQ(ScoresOf(less, graph, 5),
            (std::map<uint32_t, uint64_t>{{0, uint64_t{1} << 61},
                                          {1, uint64_t{1} << 60}}));
}

// Both ends of a round's pushes: what comes in a round goes on in the next.
TEST(PushSums, RoundsAreSynchronous) {
  const SeenGraph graph = GraphOf({{1, 2}, {2}, {1}});
  PushSums push({kWhole / 2, 1 << 20}, 0);
  ASSERT_TRUE(push.Choose(graph));
  push.Push(graph);
  ASSERT_TRUE(push.Choose(graph));
  ASSERT_EQ(push.pushing().size(), 2u);
  EXPECT_EQ(push.pushing()[0].each, uint64_t{1} << 59);
  EXPECT_EQ(push.pushing()[1].each, uint64_t{1} << 59);
}

TEST(PushSums, TiesAreKept) {
  const SeenGraph graph = GraphOf({{1, 2, 3, 4}, {}, {}, {}, {}});
  PushSums push({kWhole / 2, kWhole / 100}, 0);
  EXPECT_EQ(ScoresOf(push, graph, 2).size(), 5u);
  PushSums one({kWhole / 2, kWhole / 100}, 0);
  EXPECT_EQ(ScoresOf(one, graph, 1).size(), 1u);
}

TEST(PushSums, NothingIsLost) {
  const SeenGraph graph = GraphOf(kThree);
  PushSums push({kWhole / 7, 1}, 0);
  uint64_t sum = 0;
  for (const auto& [node, score] : ScoresOf(push, graph, 5, 4000)) {
    sum += score;
  }
  EXPECT_GT(sum, kPushMass - (uint64_t{1} << 34));
  EXPECT_LE(sum, kPushMass);
}

TEST(PushSums, AllEdgesOfAnInputArePredicted) {
  const PushRule rule{kWhole / 4, kWhole / 1024};
  EXPECT_EQ(rule.most_edges(), 4096u);
}

TEST(PushSums, BytesArePredicted) {
  std::vector<std::vector<uint32_t>> star(5000);
  for (uint32_t v = 1; v < 5000; ++v) {
    star[0].push_back(v);
    star[v].push_back(v * 7 % 5000);
  }
  const SeenGraph graph = GraphOf(star);
  PushSums push({kWhole / 4, 1 << 12}, 0);
  while (push.Choose(graph)) {
    uint64_t edges = 0;
    for (const auto& from : push.pushing()) edges += graph.degree(from.number);
    const size_t most = push.BytesToPush(edges);
    push.Push(graph);
    EXPECT_LE(push.bytes(), most);
  }
}

}  // namespace
}  // namespace tributary
