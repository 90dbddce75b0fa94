// Tests that the ends of negatives in finished batches are uniform over all
// nodes, and independent of each other and of other negatives, batches and
// epochs. Each statistic must also reject ends that are drawn wrongly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/session/kinds/link_spec.h"
#include "sampler_server/engine/testing/one_batch.h"
#include "tests/statistics/chi_square.h"

namespace tributary {
namespace {

constexpr int64_t kLinks = 500;
constexpr int64_t kPairs = 59'000;  // finds a 5 % effect in 12 x 12 cells

std::shared_ptr<MemoryGraph> Nodes(int64_t count) {
  MemoryGraphSpec spec;
  spec.num_partitions = 2;
  spec.node_types = {{.num_nodes = count}};
  spec.edge_types.emplace_back().edges = {{1, 0}, {0, 1}};
  return MemoryGraph::Make(spec);
}

struct Negative {
  int64_t source = 0, destination = 0;
};

std::vector<Negative> NegativesOf(
    const std::shared_ptr<const MemoryGraph>& graph,
    const NegativeSampling& negatives, uint64_t epoch, uint64_t index = 0,
    const DrawOptions& draws = {}) {
  BatchCase batch;
  batch.options.draws = draws;
  if (draws.time != TimeMode::kNone) {
    batch.options.draws.input_time = InputTimeMode::kGiven;
    batch.input_time.assign(2 * kLinks, 7);
  }
  for (int64_t i = 0; i < 2 * kLinks; ++i) {
    batch.links.source.push_back(i % 2);
    batch.links.destination.push_back(1);
  }
  batch.options.batch_size = kLinks;
  batch.options.random_seed = 3;
  batch.options.num_neighbors = {0};
  batch.epoch = epoch;
  batch.index = index;
  batch.build_spec = [&](const SpecGraph& spec_graph,
                         const SpecOptions& options) {
    return BuildLinkSpec(spec_graph, options, negatives);
  };
  const auto sink = OneBatchWorld(graph).Run(batch);
  const auto n_id = Ints(*sink, "n_id");
  const auto index_of = Ints(*sink, "edge_label_index");
  const size_t all = index_of.size() / 2;
  std::vector<Negative> found;
  for (size_t i = kLinks; i < all; ++i) {
    found.push_back({n_id[index_of[i]], n_id[index_of[all + i]]});
  }
  return found;
}

// Counts of a pair of numbers below 12, from epoch after epoch.
using See = std::function<void(int64_t, int64_t)>;
ChiSquare TableOf(
    const std::function<void(uint64_t epoch, const See&)>& pairs_of_epoch) {
  std::vector<std::vector<int64_t>> table(12, std::vector<int64_t>(12, 0));
  int64_t left = kPairs;
  for (uint64_t epoch = 0; left > 0; ++epoch) {
    pairs_of_epoch(epoch, [&](int64_t a, int64_t b) {
      if (left-- > 0) ++table[a][b];
    });
  }
  return Independence(table);
}

TEST(NegativeStatistics, EndsAreUniform) {
  for (const int64_t nodes : {int64_t{12}, int64_t{70'000}}) {  // narrow, wide
    const auto graph = Nodes(nodes);
    std::vector<int64_t> sources(12), destinations(12), skewed(12);
    for (uint64_t epoch = 0; epoch < 60; ++epoch) {
      for (const Negative& n :
           NegativesOf(graph, {NegativeMode::kBinary, 2}, epoch)) {
        ++sources[n.source * 12 / nodes];
        ++destinations[n.destination * 12 / nodes];
        ++skewed[n.destination * n.destination / nodes * 12 / nodes];
      }
    }
    EXPECT_TRUE(IsPlausible(Evenness(sources))) << Evenness(sources);
    EXPECT_TRUE(IsPlausible(Evenness(destinations))) << Evenness(destinations);
    EXPECT_TRUE(IsRefuted(Evenness(skewed)));
  }
}

TEST(NegativeStatistics, EndsTellNothingOfEachOther) {
  const auto graph = Nodes(12);
  const auto draw = [&](uint64_t epoch, uint64_t index = 0) {
    return NegativesOf(graph, {NegativeMode::kBinary, 2}, epoch, index);
  };
  const auto within = [&](const See& see, uint64_t epoch, auto pick) {
    const auto drawn = draw(epoch);
    for (size_t j = 0; j + 1 < drawn.size(); ++j) pick(drawn, j, see);
  };
  const ChiSquare ends = TableOf([&](uint64_t epoch, const See& see) {
    within(see, epoch, [](const auto& drawn, size_t j, const See& put) {
      put(drawn[j].source, drawn[j].destination);
    });
  });
  EXPECT_TRUE(IsPlausible(ends)) << ends;
  const ChiSquare next = TableOf([&](uint64_t epoch, const See& see) {
    within(see, epoch, [](const auto& drawn, size_t j, const See& put) {
      put(drawn[j].destination, drawn[j + 1].destination);
    });
  });
  EXPECT_TRUE(IsPlausible(next)) << next;
  // Planted fault: in all but one of twenty draws both ends use the same word.
  const ChiSquare same = TableOf([&](uint64_t epoch, const See& see) {
    within(see, epoch, [](const auto& drawn, size_t j, const See& put) {
      put(drawn[j].source,
          j % 20 == 0 ? drawn[j].source : drawn[j].destination);
    });
  });
  EXPECT_TRUE(IsRefuted(same)) << same;
}

TEST(NegativeStatistics, BatchesAndEpochsTellNothingOfEachOther) {
  const auto graph = Nodes(12);
  const auto table = [&](uint64_t later, uint64_t index) {
    return TableOf([&, later, index](uint64_t epoch, const See& see) {
      const NegativeSampling negatives{NegativeMode::kBinary, 2};
      const auto here = NegativesOf(graph, negatives, 2 * epoch, 0);
      const auto there =
          NegativesOf(graph, negatives, 2 * epoch + later, index);
      for (size_t j = 0; j < here.size(); ++j) {
        see(here[j].destination, there[j].destination);
      }
    });
  };
  EXPECT_TRUE(IsPlausible(table(0, 1))) << table(0, 1);
  EXPECT_TRUE(IsPlausible(table(1, 0))) << table(1, 0);
  EXPECT_TRUE(IsRefuted(table(0, 0)));
}

// Destinations of negatives to links of two edge types of one batch.
std::pair<std::vector<int64_t>, std::vector<int64_t>> OfTwoTypes(
    const std::shared_ptr<const MemoryGraph>& graph, uint64_t epoch) {
  BatchCase batch;
  batch.links.source.assign(2 * kLinks, 0);
  batch.links.destination.assign(2 * kLinks, 1);
  batch.options.links = LinkInputs{};
  batch.options.links->lists = {{"node,to,node", kLinks},
                                {"node,via,node", kLinks}};
  batch.options.batch_size = 2 * kLinks;
  batch.options.random_seed = 3;
  batch.options.num_neighbors = {0};
  batch.epoch = epoch;
  batch.build_spec = [](const SpecGraph& spec_graph,
                        const SpecOptions& options) {
    return BuildLinkSpec(spec_graph, options, {NegativeMode::kBinary, 2});
  };
  const auto sink = OneBatchWorld(graph).Run(batch);
  const auto n_id = Ints(*sink, "n_id/node");
  const auto destinations = [&](const std::string& type) {
    const auto index_of = Ints(*sink, "edge_label_index/" + type);
    std::vector<int64_t> ids;
    for (size_t i = index_of.size() / 2 + kLinks; i < index_of.size(); ++i) {
      ids.push_back(n_id[index_of[i]]);
    }
    return ids;
  };
  return {destinations("node__to__node"), destinations("node__via__node")};
}

TEST(NegativeStatistics, EdgeTypesTellNothingOfEachOther) {
  MemoryGraphSpec spec;
  spec.heterogeneous = true;
  spec.num_partitions = 2;
  spec.node_types = {{.num_nodes = 12}};
  spec.edge_types.resize(2);
  spec.edge_types[1].rel = "via";
  const auto graph = MemoryGraph::Make(spec);
  // `shared`: one in so many is as if keys knew no type.
  const auto table = [&](size_t shared) {
    return TableOf([&](uint64_t epoch, const See& see) {
      const auto [to, via] = OfTwoTypes(graph, epoch);
      for (size_t j = 0; j < to.size(); ++j) {
        see(to[j], shared > 0 && j % shared == 0 ? to[j] : via[j]);
      }
    });
  };
  EXPECT_TRUE(IsPlausible(table(0))) << table(0);
  EXPECT_TRUE(IsRefuted(table(20))) << table(20);
}

// Strict negatives are uniform over all pairs that are no edge.
TEST(NegativeStatistics, StrictOnesAreUniformOverWhatIsNoEdge) {
  MemoryGraphSpec spec;
  spec.num_partitions = 2;
  spec.node_types = {{.num_nodes = 5}};
  auto& edges = spec.edge_types.emplace_back().edges;
  for (int64_t u = 0; u < 5; ++u) edges.emplace_back(u, 2);
  for (int64_t v = 0; v < 4; ++v) edges.emplace_back(1, v);
  for (int64_t u = 0; u < 5; ++u) edges.emplace_back(u, 0);
  const auto graph = MemoryGraph::Make(spec);
  std::vector<int64_t> counts(25, 0), some;
  NegativeSampling strict{NegativeMode::kBinary, 2};
  strict.strict = true;
  for (uint64_t epoch = 0; epoch < 60; ++epoch) {
    for (const Negative& n : NegativesOf(graph, strict, epoch)) {
      ++counts[n.source * 5 + n.destination];
    }
  }
  for (int64_t pair = 0; pair < 25; ++pair) {
    const bool is_edge =
        std::find(edges.begin(), edges.end(), std::pair{pair / 5, pair % 5}) !=
        edges.end();
    if (is_edge) {
      EXPECT_EQ(counts[pair], 0) << pair;
    } else {
      some.push_back(counts[pair]);
    }
  }
  EXPECT_EQ(some.size(), 13u);  // of 25, 14 edges, 2 of which twice
  EXPECT_TRUE(IsPlausible(Evenness(some))) << Evenness(some);
}

// With times, negatives are uniform over the nodes that exist at a link's time.
// PyG takes the oldest node when its few tries fail.
TEST(NegativeStatistics, OnesInTimeAreUniformOverWhatIsThere) {
  MemoryGraphSpec spec;
  spec.num_partitions = 2;
  spec.node_types = {{.num_nodes = 12}};
  for (int64_t v = 0; v < 12; ++v) {
    spec.node_types[0].time.push_back(v * 5 % 12);
  }
  spec.edge_types.emplace_back().edges = {{1, 0}, {0, 1}};
  const auto graph = MemoryGraph::Make(spec);
  DrawOptions draws;
  draws.time = TimeMode::kNode;
  std::vector<int64_t> counts(12, 0), patched;
  for (uint64_t epoch = 0; epoch < 60; ++epoch) {
    for (const Negative& n :
         NegativesOf(graph, {NegativeMode::kDestination, 2}, epoch, 0, draws)) {
      ++counts[n.destination * 5 % 12];
    }
  }
  for (int64_t time = 8; time < 12; ++time) EXPECT_EQ(counts[time], 0);
  counts.resize(8);
  EXPECT_TRUE(IsPlausible(Evenness(counts))) << Evenness(counts);
  // A third of the tries fails: 1 in 27 would fail three.
  patched = counts;
  for (int64_t& count : patched) {
    patched[0] += count / 27;
    count -= count / 27;
  }
  EXPECT_TRUE(IsRefuted(Evenness(patched))) << Evenness(patched);
}

// By degree: node v of 12 has v edges into it, 11 - v out of it.
TEST(NegativeStatistics, OnesByDegreeAreInProportionToItsPower) {
  MemoryGraphSpec spec;
  spec.num_partitions = 2;
  spec.node_types = {{.num_nodes = 12}};
  auto& edges = spec.edge_types.emplace_back().edges;
  for (int64_t u = 0; u < 12; ++u) {
    for (int64_t v = u + 1; v < 12; ++v) edges.emplace_back(u, v);
  }
  const auto graph = MemoryGraph::Make(spec);
  NegativeSampling by_degree{NegativeMode::kBinary, 2};
  by_degree.degree_power = 0.75;
  std::vector<int64_t> sources(12), destinations(12);
  for (uint64_t epoch = 0; epoch < 60; ++epoch) {
    for (const Negative& n : NegativesOf(graph, by_degree, epoch)) {
      ++sources[11 - n.source];
      ++destinations[n.destination];
    }
  }
  EXPECT_EQ(sources[0], 0);  // who has no edge is never drawn
  EXPECT_EQ(destinations[0], 0);
  const auto fit = [](std::vector<int64_t> counts, double power) {
    std::vector<double> shares;
    double sum = 0;
    for (int d = 1; d < 12; ++d) sum += std::pow(d, power);
    for (int d = 1; d < 12; ++d) shares.push_back(std::pow(d, power) / sum);
    counts.erase(counts.begin());
    return GoodnessOfFit(counts, shares);
  };
  for (const auto& counts : {sources, destinations}) {
    EXPECT_TRUE(IsPlausible(fit(counts, 0.75))) << fit(counts, 0.75);
    EXPECT_TRUE(IsRefuted(fit(counts, 0))) << fit(counts, 0);
    EXPECT_TRUE(IsRefuted(fit(counts, 0.65))) << fit(counts, 0.65);
  }
}

// The destinations drawn for a source are independent of it.
TEST(NegativeStatistics, DestinationsTellNothingOfTheirSource) {
  const auto graph = Nodes(12);
  std::vector<std::vector<int64_t>> table(2, std::vector<int64_t>(12, 0));
  for (uint64_t epoch = 0; epoch < 40; ++epoch) {
    for (const Negative& n :
         NegativesOf(graph, {NegativeMode::kDestination, 3}, epoch)) {
      ++table[n.source][n.destination];
    }
  }
  EXPECT_TRUE(IsPlausible(Independence(table))) << Independence(table);
}

}  // namespace
}  // namespace tributary
