// Negatives of graphs in which there are few that are valid, or none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "common/session/kinds/link_spec.h"
#include "sampler_server/engine/testing/one_batch.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// All pairs of `nodes` are edges but for these.
std::shared_ptr<MemoryGraph> AllBut(
    int64_t nodes, std::vector<std::pair<int64_t, int64_t>> missing) {
  MemoryGraphSpec spec;
  spec.num_partitions = 2;
  spec.node_types = {{.num_nodes = nodes}};
  auto& edges = spec.edge_types.emplace_back().edges;
  for (int64_t u = 0; u < nodes; ++u) {
    for (int64_t v = 0; v < nodes; ++v) {
      const std::pair<int64_t, int64_t> edge(u, v);
      if (std::find(missing.begin(), missing.end(), edge) == missing.end()) {
        edges.push_back(edge);
      }
    }
  }
  return MemoryGraph::Make(spec);
}

BatchCase Case(NegativeMode mode, double amount, OnExhausted on_exhausted) {
  BatchCase batch;
  batch.links.source = {0, 1, 2};
  batch.links.destination = {1, 2, 0};
  batch.options.batch_size = 3;
  batch.options.shuffle = ShuffleMode::kNone;
  batch.options.num_neighbors = {0};
  batch.build_spec = [=](const SpecGraph& graph, const SpecOptions& options) {
    return BuildLinkSpec(graph, options, {mode, amount, true, on_exhausted});
  };
  return batch;
}

TEST(NegativeSearch, TheOnlyPairThatIsNoEdgeIsFound) {
  const auto graph = AllBut(4, {{3, 2}});
  // 1 of 16 candidates: 64 of them miss it once in 60.
  const auto sink = OneBatchWorld(graph).Run(
      Case(NegativeMode::kBinary, 1, OnExhausted::kError));
  ASSERT_TRUE(sink->ready.has_value()) << sink->failed;
  const auto n_id = Ints(*sink, "n_id");
  const auto index = Ints(*sink, "edge_label_index");
  ASSERT_EQ(index.size(), 12u);
  for (size_t i = 3; i < 6; ++i) {
    EXPECT_EQ(n_id[index[i]], 3);
    EXPECT_EQ(n_id[index[6 + i]], 2);
  }
  EXPECT_THAT(Ints(*sink, "num_exhausted"), ElementsAre());
}

TEST(NegativeSearch, WhereThereIsNoneTheBatchFailsOrCounts) {
  const auto graph = AllBut(3, {});
  const auto failed = OneBatchWorld(graph).Run(
      Case(NegativeMode::kTriplet, 2, OnExhausted::kError));
  EXPECT_EQ(failed->failed.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(failed->failed.message()),
              HasSubstr("negative 0 of node,to,node: each of its 64"));
  const auto accepted = OneBatchWorld(graph).Run(
      Case(NegativeMode::kTriplet, 2, OnExhausted::kAccept));
  ASSERT_TRUE(accepted->ready.has_value()) << accepted->failed;
  EXPECT_THAT(Ints(*accepted, "num_exhausted"), ElementsAre(6));
  EXPECT_EQ(Ints(*accepted, "dst_neg_index").size(), 6u);
}

// Source 0 has none, the others have.
TEST(NegativeSearch, OnlyTheExhaustedAreCounted) {
  const auto graph = AllBut(3, {{1, 0}, {2, 0}});
  const auto sink = OneBatchWorld(graph).Run(
      Case(NegativeMode::kDestination, 1, OnExhausted::kAccept));
  ASSERT_TRUE(sink->ready.has_value()) << sink->failed;
  EXPECT_THAT(Ints(*sink, "num_exhausted"), ElementsAre(1));
  const auto n_id = Ints(*sink, "n_id");
  const auto index = Ints(*sink, "edge_label_index");
  EXPECT_EQ(n_id[index[6 + 4]], 0);
  EXPECT_EQ(n_id[index[6 + 5]], 0);
}

TEST(NegativeSearch, APeersAnswerIsYesOrNo) {
  const auto graph = AllBut(4, {{3, 2}});
  OneBatchWorld world(graph->Only({0}), graph);
  world.remote()->damaged_neighbor = true;
  const auto sink =
      world.Run(Case(NegativeMode::kBinary, 4, OnExhausted::kAccept));
  EXPECT_EQ(sink->failed.code(), absl::StatusCode::kDataLoss) << sink->failed;
}

// Nodes 0 to 3 with these times; links 0>1, 1>2, 2>0 with times of their own.
std::shared_ptr<MemoryGraph> Timed() {
  MemoryGraphSpec spec;
  spec.num_partitions = 2;
  spec.node_types = {{.num_nodes = 4}};
  spec.node_types[0].time = {5, 1, 9, 3};
  spec.edge_types.emplace_back().edges = {{0, 1}, {3, 2}};
  return MemoryGraph::Make(spec);
}

BatchCase InTime(const NegativeSampling& negatives, std::vector<int64_t> times,
                 bool before = false) {
  BatchCase batch = Case(negatives.mode, negatives.amount, OnExhausted::kError);
  batch.options.draws.time = TimeMode::kNode;
  batch.options.draws.strict = before;
  batch.options.draws.input_time = InputTimeMode::kGiven;
  batch.input_time = std::move(times);
  batch.build_spec = [=](const SpecGraph& graph, const SpecOptions& options) {
    return BuildLinkSpec(graph, options, negatives);
  };
  return batch;
}

// The nodes that negatives of each of three links have at one end.
using Nodes = std::set<int64_t>;
std::vector<Nodes> EndsOf(const RecordingSink& sink, bool sources,
                          uint64_t amount, bool binary = false) {
  EXPECT_TRUE(sink.ready.has_value()) << sink.failed;
  const auto n_id = Ints(sink, "n_id");
  const auto index = Ints(sink, "edge_label_index");
  const size_t all = index.size() / 2;
  std::vector<Nodes> ends(3);
  for (size_t j = 0; j + 3 < all; ++j) {
    ends[binary ? j % 3 : j / amount].insert(
        n_id[index[(sources ? 0 : all) + 3 + j]]);
  }
  return ends;
}

TEST(NegativeSearch, EndsAreThereAtTheirLinksTime) {
  const auto graph = Timed();
  const NegativeSampling forty{NegativeMode::kDestination, 40};
  const auto at = OneBatchWorld(graph).Run(InTime(forty, {4, 5, 2}));
  EXPECT_THAT(EndsOf(*at, false, 40),
              ElementsAre(Nodes{1, 3}, Nodes{0, 1, 3}, Nodes{1}));
  const auto before = OneBatchWorld(graph).Run(InTime(forty, {4, 5, 2}, true));
  EXPECT_THAT(EndsOf(*before, false, 40),
              ElementsAre(Nodes{1, 3}, Nodes{1, 3}, Nodes{1}));
}

TEST(NegativeSearch, BothEndsOfBinaryOnesAre) {
  const auto sink = OneBatchWorld(Timed()).Run(
      InTime({NegativeMode::kBinary, 60}, {4, 9, 2}));
  for (const bool sources : {false, true}) {
    EXPECT_THAT(EndsOf(*sink, sources, 60, true),
                ElementsAre(Nodes{1, 3}, Nodes{0, 1, 2, 3}, Nodes{1}));
  }
}

TEST(NegativeSearch, WhereNoNodeIsThereYetTheBatchFailsOrCounts) {
  const auto graph = Timed();
  NegativeSampling one{NegativeMode::kTriplet, 1};
  const auto failed = OneBatchWorld(graph).Run(InTime(one, {4, 0, 9}));
  EXPECT_EQ(failed->failed.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(failed->failed.message()),
              HasSubstr("negative 1 of node,to,node: each of its 64 candidates "
                        "is later than its link's time 0"));
  one.on_exhausted = OnExhausted::kAccept;
  const auto accepted = OneBatchWorld(graph).Run(InTime(one, {4, 0, 0}));
  ASSERT_TRUE(accepted->ready.has_value()) << accepted->failed;
  EXPECT_THAT(Ints(*accepted, "num_exhausted"), ElementsAre(2));
}

// 0 has an edge to 1, and 3 to 2; of the others 0 and 3 are there.
TEST(NegativeSearch, StrictOnesAreNoEdgesAndInTime) {
  NegativeSampling strict{NegativeMode::kDestination, 40, true};
  const auto sink = OneBatchWorld(Timed()).Run(InTime(strict, {5, 5, 5}));
  EXPECT_THAT(EndsOf(*sink, false, 40),
              ElementsAre(Nodes{0, 3}, Nodes{0, 1, 3}, Nodes{0, 1, 3}));
  const auto none = OneBatchWorld(Timed()).Run(InTime(strict, {1, 5, 5}));
  EXPECT_THAT(std::string(none->failed.message()),
              HasSubstr("is an edge or later than its link's time 1"));
}

}  // namespace
}  // namespace tributary
