// Compares random walks of finished batches with the probabilities that define
// them: of steps, of second-order steps, of restarts; and tests that walks and
// steps are independent. Each statistic must also reject the probabilities of
// other walks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "common/session/kinds/walk_spec.h"
#include "sampler_server/engine/testing/one_batch.h"
#include "tests/statistics/chi_square.h"

namespace tributary {
namespace {

using Walk = std::vector<int64_t>;
using Matrix = std::vector<std::vector<double>>;

// Edges u>v: a walk steps from v to u.
std::shared_ptr<MemoryGraph> GraphOf(
    int64_t nodes, std::vector<std::pair<int64_t, int64_t>> edges) {
  MemoryGraphSpec spec;
  spec.num_partitions = 2;
  spec.node_types = {{.num_nodes = nodes}};
  spec.edge_types.emplace_back().edges = std::move(edges);
  return MemoryGraph::Make(spec);
}

// Five nodes: parallel edges, a self loop, neighbours of neighbours.
const std::vector<std::pair<int64_t, int64_t>> kFive = {
    {1, 0}, {2, 0}, {2, 0}, {0, 0}, {0, 1}, {2, 1}, {3, 1}, {0, 2},
    {1, 2}, {3, 2}, {4, 2}, {1, 3}, {2, 3}, {4, 3}, {2, 4}, {3, 4}};

Matrix FirstOrder() {
  Matrix share(5, std::vector<double>(5, 0));
  for (const auto& [u, v] : kFive) share[v][u] += 1;
  for (auto& row : share) {
    double sum = 0;
    for (double x : row) sum += x;
    for (double& x : row) x /= sum;
  }
  return share;
}

// Returns the step probabilities of a walk that came from `before` to `at`.
std::vector<double> SecondOrder(int64_t before, int64_t at, double p,
                                double q) {
  const Matrix first = FirstOrder();
  std::vector<double> share(5, 0);
  double sum = 0;
  for (int64_t x = 0; x < 5; ++x) {
    const double weight =
        x == before ? 1 / p : (first[before][x] > 0 ? 1 : 1 / q);
    sum += share[x] = first[at][x] * weight;
  }
  for (double& x : share) x /= sum;
  return share;
}

// Calls `see` with `num_walks` walks, of one batch after another.
void ForWalks(const std::shared_ptr<const MemoryGraph>& graph,
              const WalkOptions& walk, int64_t num_walks,
              const std::function<void(const Walk&)>& see) {
  BatchCase batch;
  const int64_t n = graph->schema().node_types[0].num_nodes;
  for (int64_t i = 0; i < 500; ++i) batch.inputs.push_back(i % n);
  batch.options.batch_size = 500;
  batch.options.random_seed = 3;
  batch.build_spec = [&](const SpecGraph& spec_graph,
                         const SpecOptions& options) {
    return BuildWalkSpec(spec_graph, options, walk);
  };
  const size_t columns = walk.walk_length + 1;
  for (batch.epoch = 0; num_walks > 0; ++batch.epoch) {
    const auto sink = OneBatchWorld(graph).Run(batch);
    const auto walks = Ints(*sink, "walks");
    ASSERT_EQ(walks.size(), 500 * walk.walks_per_node * columns);
    for (size_t at = 0; at < walks.size() && num_walks > 0; at += columns) {
      see(Walk(walks.begin() + at, walks.begin() + at + columns));
      --num_walks;
    }
  }
}

// Tests the counts of next nodes; those that cannot follow must not occur.
ChiSquare Fit(const std::vector<int64_t>& counts,
              const std::vector<double>& share) {
  std::vector<int64_t> seen;
  std::vector<double> expected;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (share[i] == 0) {
      EXPECT_EQ(counts[i], 0);
      continue;
    }
    seen.push_back(counts[i]);
    expected.push_back(share[i]);
  }
  return GoodnessOfFit(seen, expected);
}

TEST(WalkStatistics, StepsFollowTheTransitionMatrix) {
  Matrix share = FirstOrder();
  std::vector<std::vector<int64_t>> counts(5, std::vector<int64_t>(5, 0));
  ForWalks(GraphOf(5, kFive), {.walk_length = 9}, 20'000,
           [&](const Walk& walk) {
             for (size_t s = 1; s < walk.size(); ++s) {
               ++counts[walk[s - 1]][walk[s]];
             }
           });
  for (int64_t v = 0; v < 5; ++v) {
    EXPECT_TRUE(IsPlausible(Fit(counts[v], share[v])))
        << v << ": " << Fit(counts[v], share[v]);
  }
  // Two parallel edges count twice.
  std::swap(share[0][1], share[0][2]);
  EXPECT_TRUE(IsRefuted(Fit(counts[0], share[0])));
}

TEST(WalkStatistics, SecondOrderStepsFollowTheirEnumeration) {
  for (const auto& [p, q] : {std::pair{4.0, 0.5}, {0.25, 2.0}, {0.5, 0.5}}) {
    std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> counts;
    ForWalks(GraphOf(5, kFive), {.walk_length = 12, .p = p, .q = q}, 20'000,
             [&](const Walk& walk) {
               for (size_t s = 2; s < walk.size(); ++s) {
                 auto& row = counts[{walk[s - 2], walk[s - 1]}];
                 row.resize(5);
                 ++row[walk[s]];
               }
             });
    EXPECT_EQ(counts.size(), 15u);  // (0, 0) once, twice 2>0 once
    int refuted = 0;
    for (const auto& [from, row] : counts) {
      const auto share = SecondOrder(from.first, from.second, p, q);
      EXPECT_TRUE(IsPlausible(Fit(row, share)))
          << from.first << ", " << from.second << ", p " << p << ", q " << q
          << ": " << Fit(row, share);
      refuted += IsRefuted(Fit(row, FirstOrder()[from.second])) ? 1 : 0;
    }
    EXPECT_GT(refuted, 10) << "p " << p << ", q " << q;
  }
}

// On a ring without self loops no step but a restart leads far away.
TEST(WalkStatistics, RestartsComeAtTheirRate) {
  std::vector<std::pair<int64_t, int64_t>> ring;
  for (int64_t v = 0; v < 50; ++v) ring.emplace_back((v + 1) % 50, v);
  std::vector<int64_t> counts(2, 0), at_step(10, 0);
  ForWalks(GraphOf(50, ring), {.walk_length = 10, .restart_prob = 0.15}, 20'000,
           [&](const Walk& walk) {
             for (size_t s = 1; s < walk.size(); ++s) {
               const bool restart = walk[s] != (walk[s - 1] + 1) % 50;
               if (restart) {
                 EXPECT_EQ(walk[s], walk[0]);
                 ++at_step[s - 1];
               }
               ++counts[restart ? 1 : 0];
             }
           });
  EXPECT_TRUE(IsPlausible(GoodnessOfFit(counts, {0.85, 0.15})));
  EXPECT_TRUE(IsRefuted(GoodnessOfFit(counts, {0.84, 0.16})));
  EXPECT_TRUE(IsPlausible(Evenness(at_step)));
}

TEST(WalkStatistics, WalksThatARestartEndsHaveGeometricLengths) {
  std::vector<std::pair<int64_t, int64_t>> ring;
  for (int64_t v = 0; v < 50; ++v) ring.emplace_back((v + 1) % 50, v);
  std::vector<int64_t> lengths(6, 0);
  ForWalks(GraphOf(50, ring),
           {.walk_length = 5, .restart_prob = 0.3, .restart_ends = true},
           20'000, [&](const Walk& walk) {
             ++lengths[std::count_if(walk.begin() + 1, walk.end(),
                                     [](int64_t v) { return v >= 0; })];
           });
  std::vector<double> share;
  for (int i = 0; i < 5; ++i) share.push_back(0.3 * std::pow(0.7, i));
  share.push_back(std::pow(0.7, 5));
  EXPECT_TRUE(IsPlausible(GoodnessOfFit(lengths, share)));
}

// Twelve nodes, each a neighbour of all: a step is a draw of twelve.
TEST(WalkStatistics, StepsWalksAndEpochsTellNothingOfEachOther) {
  constexpr int kNodes = 12;
  std::vector<std::pair<int64_t, int64_t>> all;
  for (int64_t v = 0; v < kNodes; ++v) {
    for (int64_t u = 0; u < kNodes; ++u) all.emplace_back(u, v);
  }
  using Table = std::vector<std::vector<int64_t>>;
  const Table empty(kNodes, std::vector<int64_t>(kNodes, 0));
  Table steps = empty, walks = empty, inputs = empty, epochs = empty;
  std::vector<Walk> batch, before;
  ForWalks(GraphOf(kNodes, all), {.walk_length = 3, .walks_per_node = 2},
           59'000, [&](const Walk& walk) {
             ++steps[walk[1]][walk[2]];
             batch.push_back(walk);
             const size_t n = batch.size();
             if (n % 2 == 0) ++walks[batch[n - 2][1]][walk[1]];
             if (n > 2) ++inputs[batch[n - 3][2]][walk[2]];
             if (!before.empty()) ++epochs[before[n - 1][3]][walk[3]];
             if (n == 1000) before = std::exchange(batch, {});
           });
  for (const Table* table : {&steps, &walks, &inputs, &epochs}) {
    EXPECT_TRUE(IsPlausible(Independence(*table))) << Independence(*table);
  }
  // Planted fault: the same draw twice.
  for (int v = 0; v < kNodes; ++v) steps[v][v] += 600;
  EXPECT_TRUE(IsRefuted(Independence(steps)));
}

}  // namespace
}  // namespace tributary
