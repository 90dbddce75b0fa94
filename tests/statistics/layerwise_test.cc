// Compares layers of finished batches with the probabilities that define them:
// every set of nodes by enumerated successive sampling; and tests that layers
// and epochs are independent.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "common/session/kinds/layerwise_spec.h"
#include "sampler_server/engine/testing/one_batch.h"
#include "tests/statistics/chi_square.h"

namespace tributary {
namespace {

using Edges = std::vector<std::pair<int64_t, int64_t>>;

// Batches of one input each epoch, of a graph in two partitions.
void ForBatches(const MemoryGraphSpec& spec, const std::vector<int64_t>& inputs,
                const LayerwiseOptions& layerwise, int epochs,
                const std::function<void(const RecordingSink&)>& see) {
  const auto graph = MemoryGraph::Make(spec);
  BatchCase batch;
  batch.inputs = inputs;
  batch.options.batch_size = inputs.size();
  batch.options.random_seed = 5;
  batch.options.shuffle = ShuffleMode::kNone;
  batch.build_spec = [&](const SpecGraph& spec_graph,
                         const SpecOptions& options) {
    return BuildLayerwiseSpec(spec_graph, options, layerwise);
  };
  OneBatchWorld world(graph);
  for (int e = 0; e < epochs; ++e) {
    batch.epoch = static_cast<uint64_t>(e);
    const auto sink = world.Run(batch);
    ASSERT_TRUE(sink->ready.has_value()) << sink->failed;
    see(*sink);
  }
}

MemoryGraphSpec GraphOf(int64_t nodes, Edges edges) {
  MemoryGraphSpec spec;
  spec.num_partitions = 2;
  spec.node_types = {{.num_nodes = nodes}};
  spec.edge_types.emplace_back().edges = std::move(edges);
  return spec;
}

// 0 has neighbours 2 3 4 5 6, 1 has 2 and 3 twice: of degrees 5 and 3, each
// edge gives a share of 1/25 and 1/9.
const Edges kEdges = {{2, 0}, {3, 0}, {4, 0}, {5, 0},
                      {6, 0}, {2, 1}, {3, 1}, {3, 1}};
std::vector<double> Weights() {
  const double a = 1.0 / 25, b = 1.0 / 9;
  return {a + b, a + 2 * b, a, a, a};
}

// Returns the probability of every set of k of the nodes 2, 3, ..., by bit
// mask.
std::map<int, double> SuccessiveSampling(const std::vector<double>& weights,
                                         int k) {
  std::map<int, double> sets = {{0, 1.0}};
  for (int i = 0; i < k; ++i) {
    std::map<int, double> next;
    for (const auto& [set, share] : sets) {
      double left = 0;
      for (size_t c = 0; c < weights.size(); ++c) {
        if ((set >> c & 1) == 0) left += weights[c];
      }
      for (size_t c = 0; c < weights.size(); ++c) {
        if ((set >> c & 1) == 0) {
          next[set | 1 << c] += share * weights[c] / left;
        }
      }
    }
    sets = std::move(next);
  }
  return sets;
}

ChiSquare FitOf(const std::map<int, int64_t>& seen,
                const std::map<int, double>& expected) {
  std::vector<int64_t> counts;
  std::vector<double> shares;
  for (const auto& [set, share] : expected) {
    counts.push_back(seen.count(set) > 0 ? seen.at(set) : 0);
    shares.push_back(share);
  }
  return GoodnessOfFit(counts, shares);
}

std::map<int, int64_t> DrawnSets(LayerImportance importance, int k) {
  std::map<int, int64_t> seen;
  ForBatches(
      GraphOf(7, kEdges), {0, 1},
      {.nodes_per_layer = {static_cast<uint32_t>(k)}, .importance = importance},
      20'000, [&](const RecordingSink& sink) {
        int set = 0;
        for (const int64_t id : Ints(sink, "n_id")) {
          if (id >= 2) set |= 1 << (id - 2);
        }
        ++seen[set];
      });
  return seen;
}

TEST(LayerwiseStatistics, SetsAreThoseOfSuccessiveSampling) {
  const auto seen = DrawnSets(LayerImportance::kLadies, 2);
  const ChiSquare fit = FitOf(seen, SuccessiveSampling(Weights(), 2));
  EXPECT_EQ(fit.degrees, 9);
  EXPECT_TRUE(IsPlausible(fit)) << fit;
  // Planted faults: entries that are not squared; equal weights.
  const double a = 1.0 / 5, b = 1.0 / 3;
  EXPECT_TRUE(IsRefuted(
      FitOf(seen, SuccessiveSampling({a + b, a + 2 * b, a, a, a}, 2))));
  EXPECT_TRUE(IsRefuted(FitOf(seen, SuccessiveSampling({1, 1, 1, 1, 1}, 2))));
}

TEST(LayerwiseStatistics, UniformSetsAreAlike) {
  const auto seen = DrawnSets(LayerImportance::kUniform, 3);
  const ChiSquare fit = FitOf(seen, SuccessiveSampling({1, 1, 1, 1, 1}, 3));
  EXPECT_TRUE(IsPlausible(fit)) << fit;
  EXPECT_TRUE(IsRefuted(FitOf(seen, SuccessiveSampling(Weights(), 3))));
}

// A node that has drawn nodes' neighbours all: two layers of one node each,
// out of twelve.
TEST(LayerwiseStatistics, LayersAndEpochsTellNothingOfEachOther) {
  constexpr int kNodes = 12;
  Edges edges;
  for (int64_t v = 0; v < kNodes; ++v) edges.emplace_back(v, kNodes);
  // The drawn node has no neighbours, so the second layer draws for the input.
  using Table = std::vector<std::vector<int64_t>>;
  Table layers(kNodes, std::vector<int64_t>(kNodes, 0)), epochs = layers;
  int64_t before = -1;
  ForBatches(GraphOf(kNodes + 1, edges), {kNodes}, {.nodes_per_layer = {1, 1}},
             40'000, [&](const RecordingSink& sink) {
               const auto e_id = Ints(sink, "e_id");
               ASSERT_EQ(e_id.size(), 2u);
               ++layers[e_id[0]][e_id[1]];
               if (before >= 0) ++epochs[before][e_id[0]];
               before = e_id[0];
             });
  EXPECT_TRUE(IsPlausible(Independence(layers))) << Independence(layers);
  EXPECT_TRUE(IsPlausible(Independence(epochs))) << Independence(epochs);
  // Planted fault: the same draw twice.
  for (int v = 0; v < kNodes; ++v) layers[v][v] += 600;
  EXPECT_TRUE(IsRefuted(Independence(layers)));
}

// The weights of the edges from kept nodes to a node estimate the mean over its
// neighbours: they sum to 1, and a single drawn node has all of it.
TEST(LayerwiseStatistics, WeightsOfANodeSumToOne) {
  ForBatches(GraphOf(7, kEdges), {0, 1}, {.nodes_per_layer = {3}}, 50,
             [&](const RecordingSink& sink) {
               const auto index = Ints(sink, "edge_index");
               const auto weight = Floats(sink, "edge_weight");
               std::map<int64_t, double> sum;
               for (size_t e = 0; e < weight.size(); ++e) {
                 sum[index[weight.size() + e]] += weight[e];
               }
               for (const auto& [node, of_node] : sum) {
                 EXPECT_NEAR(of_node, 1, 1e-6);
               }
             });
}

}  // namespace
}  // namespace tributary
