// The cases contain the corner cases that they claim, and Shrink() works.
#include "tests/brute_force/random_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "tests/brute_force/shrink.h"

namespace tributary {
namespace {

using Edge = std::pair<int64_t, int64_t>;

bool AnyEdgeType(
    const RandomCase& c,
    const std::function<bool(const MemoryGraphSpec::EdgeType&)>& holds) {
  return std::any_of(c.graph.edge_types.begin(), c.graph.edge_types.end(),
                     holds);
}

int MostParallel(const RandomCase& c) {
  int most = 0;
  for (const auto& type : c.graph.edge_types) {
    std::map<Edge, int> times;
    for (const Edge& edge : type.edges) most = std::max(most, ++times[edge]);
  }
  return most;
}

bool HasSelfLoop(const RandomCase& c) {
  return AnyEdgeType(c, [](const auto& type) {
    return type.src == type.dst &&
           std::any_of(type.edges.begin(), type.edges.end(),
                       [](const Edge& e) { return e.first == e.second; });
  });
}

bool HasEmptyPartition(const RandomCase& c) {
  for (uint32_t p = 0; p < c.graph.num_partitions; ++p) {
    bool empty = true;
    for (const auto& type : c.graph.node_types) {
      for (uint16_t of : type.partition_of) empty &= of != p;
    }
    if (empty) return true;
  }
  return false;
}

bool HasIsolatedInput(const RandomCase& c) {
  return std::any_of(
      c.batch.inputs.begin(), c.batch.inputs.end(), [&](int64_t id) {
        return !AnyEdgeType(c, [&](const auto& type) {
          return type.dst == c.batch.options.input_type &&
                 std::any_of(type.edges.begin(), type.edges.end(),
                             [&](const Edge& e) { return e.second == id; });
        });
      });
}

bool HasDuplicateInputs(const RandomCase& c) {
  const std::set<int64_t> unique(c.batch.inputs.begin(), c.batch.inputs.end());
  return unique.size() < c.batch.inputs.size();
}

TEST(RandomCase, HasAllThatGoesWrong) {
  std::map<std::string, int> seen;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const RandomCase c = MakeRandomCase(seed);
    const SpecOptions& o = c.batch.options;
    const auto& fanouts = o.num_neighbors.by_default;
    const auto has_fanout = [&](int32_t k) {
      return std::count(fanouts.begin(), fanouts.end(), k) > 0;
    };
    const auto any_node_type = [&](auto holds) {
      return std::any_of(c.graph.node_types.begin(), c.graph.node_types.end(),
                         holds);
    };
    seen["parallel edges"] += MostParallel(c) > 1;
    seen["self loops"] += HasSelfLoop(c);
    seen["isolated inputs"] += HasIsolatedInput(c);
    seen["empty partitions"] += HasEmptyPartition(c);
    seen["duplicate inputs"] += HasDuplicateInputs(c);
    seen["no edge"] +=
        !AnyEdgeType(c, [](const auto& type) { return !type.edges.empty(); });
    seen["more than 1000 edges"] += AnyEdgeType(
        c, [](const auto& type) { return type.edges.size() > 1000; });
    seen["one node"] +=
        any_node_type([](const auto& type) { return type.num_nodes == 1; });
    seen["empty types"] +=
        any_node_type([](const auto& type) { return type.num_nodes == 0; });
    seen["no features"] +=
        any_node_type([](const auto& type) { return type.x_dim == 0; });
    seen["labels"] +=
        any_node_type([](const auto& type) { return type.has_y; });
    seen["attributes"] +=
        AnyEdgeType(c, [](const auto& type) { return type.has_attr; });
    seen["scaled features"] += any_node_type(
        [](const auto& type) { return type.scaled && type.x_dim > 0; });
    seen["scaled features in a lower precision"] +=
        o.feature_dtype != FeatureDType::kStored &&
        any_node_type(
            [](const auto& type) { return type.scaled && type.x_dim > 0; });
    const auto has_scaled_attributes = [](const auto& type) {
      return type.scaled && type.has_attr;
    };
    seen["scaled attributes"] += AnyEdgeType(c, has_scaled_attributes);
    seen["predicates and scaled attributes"] +=
        !o.draws.edge_predicates.empty() &&
        AnyEdgeType(c, has_scaled_attributes);
    seen["fanout -1"] += has_fanout(-1);
    seen["fanout 0"] += has_fanout(0);
    seen["fanout 2"] += has_fanout(2);
    seen["replace"] += o.replace;
    seen["expand all"] += o.expand == ExpandMode::kAll;
    seen["typed"] += c.graph.heterogeneous;
    seen["5 partitions"] += c.graph.num_partitions == 5;
    seen["all a peer's"] += c.here.empty();
    seen["wide ids"] += c.graph.wide_ids;
    seen["a later batch"] += c.batch.index > 0;
    seen["degrees"] += o.collect_degrees;
    seen["degrees and peers"] += o.collect_degrees && c.here.empty();
    seen["no edge ids"] += o.omit_edge_ids;
    seen["no edge ids and peers"] += o.omit_edge_ids && c.here.empty();
    seen["no edge ids, bidirectional"] +=
        o.omit_edge_ids && o.subgraph.type == SubgraphType::kBidirectional;
    seen["no edge ids, induced"] +=
        o.omit_edge_ids && o.subgraph.type == SubgraphType::kInduced;
    const DrawOptions& draws = o.draws;
    seen["weighted"] += draws.draw == DrawMode::kWeighted;
    seen["disjoint"] += draws.disjoint;
    seen["edge times"] += draws.time == TimeMode::kEdge;
    seen["node times"] += draws.time == TimeMode::kNode;
    seen["labor"] += draws.draw == DrawMode::kLabor;
    seen["across types"] += draws.draw == DrawMode::kAcrossTypes;
    seen["across types, with replacement"] +=
        draws.draw == DrawMode::kAcrossTypes && o.replace;
    seen["layer dependency"] += draws.layer_dependency;
    seen["last"] += draws.temporal_strategy == TemporalStrategy::kLast;
    seen["strict"] += draws.strict;
    seen["own times"] += draws.input_time == InputTimeMode::kOwn;
    seen["types without weights"] +=
        draws.draw == DrawMode::kWeighted &&
        AnyEdgeType(c, [](const auto& type) { return type.weight.empty(); });
    seen["predicates of all types"] +=
        !draws.edge_predicates.by_default.empty();
    seen["predicates of one type"] +=
        !draws.edge_predicates.by_edge_type.empty();
    seen["predicates and weights"] +=
        draws.draw == DrawMode::kWeighted && !draws.edge_predicates.empty();
    seen["predicates and times"] +=
        draws.time != TimeMode::kNone && !draws.edge_predicates.empty();
    seen["predicates and labor"] +=
        draws.draw == DrawMode::kLabor && !draws.edge_predicates.empty();
    const bool masked = !draws.edge_mask.empty();
    seen["masks"] += masked;
    seen["masks in predicates"] +=
        !draws.edge_predicates.by_default.empty() &&
        draws.edge_predicates.by_default[0].column == EdgeColumn::kMask;
    seen["masks and predicates"] += masked && !draws.edge_predicates.empty();
    seen["masks and weights"] += masked && draws.draw == DrawMode::kWeighted;
    seen["masks and times"] += masked && draws.time != TimeMode::kNone;
    seen["masks and labor"] += masked && draws.draw == DrawMode::kLabor;
    seen["types without the mask"] +=
        masked && AnyEdgeType(c, [&](const auto& type) {
          return !type.masks.contains(draws.edge_mask);
        });
  }
  EXPECT_EQ(seen.size(), 56u);
  for (const auto& [what, times] : seen) EXPECT_GE(times, 30) << what;
}

TEST(RandomCase, IsAFunctionOfItsSeed) {
  EXPECT_EQ(Describe(MakeRandomCase(9)), Describe(MakeRandomCase(9)));
  EXPECT_NE(Describe(MakeRandomCase(9)), Describe(MakeRandomCase(10)));
}

// Pretends that three parallel edges suffice to fail: nothing else remains.
TEST(Shrink, LeavesWhatTheFailureNeeds) {
  const auto fails = [](const RandomCase& c) { return MostParallel(c) >= 3; };
  uint64_t seed = 0;
  while (!fails(MakeRandomCase(seed))) ++seed;
  const RandomCase small = Shrink(MakeRandomCase(seed), fails);
  EXPECT_TRUE(fails(small));
  size_t edges = 0;
  for (const auto& type : small.graph.edge_types) edges += type.edges.size();
  EXPECT_EQ(edges, 3u) << Describe(small);
  EXPECT_EQ(small.batch.inputs.size(), 1u);
  EXPECT_EQ(small.batch.options.num_neighbors.by_default.size(), 1u);
  EXPECT_EQ(small.graph.num_partitions, 1u);
  EXPECT_TRUE(small.batch.options.collect.empty());
  EXPECT_FALSE(small.batch.options.collect_degrees);
  EXPECT_FALSE(small.batch.options.omit_edge_ids);
}

TEST(Shrink, KeepsACaseThatCannotBeSmaller) {
  RandomCase c;
  c.graph.node_types.push_back({.num_nodes = 2});
  c.graph.edge_types.emplace_back().edges = {{1, 0}};
  c.batch.options.input_type = c.graph.node_types[0].name;
  c.batch.inputs = {0};
  c.batch.options.batch_size = 1;
  c.batch.options.num_neighbors = {1};
  const RandomCase small = Shrink(c, [](const RandomCase& some) {
    return !some.graph.edge_types[0].edges.empty();
  });
  EXPECT_EQ(small.graph.edge_types[0].edges, (std::vector<Edge>{{1, 0}}));
  EXPECT_NE(Describe(small).find("1>0"), std::string::npos);
}

}  // namespace
}  // namespace tributary
