// Strict negatives of graphs in which there are few, or none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sampler_server/engine/testing/one_batch.h"
#include "sampler_server/kinds/link/link_spec.h"

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
  batch.options.num_neighbors.by_default = {0};
  batch.build_spec = [=](const SpecGraph& graph, const SpecOptions& options) {
    return BuildLinkSpec(graph, options, {mode, amount, true, on_exhausted});
  };
  return batch;
}

TEST(StrictNegatives, TheOnlyPairThatIsNoEdgeIsFound) {
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

TEST(StrictNegatives, WhereThereIsNoneTheBatchFailsOrCounts) {
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
TEST(StrictNegatives, OnlyTheExhaustedAreCounted) {
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

TEST(StrictNegatives, APeersAnswerIsYesOrNo) {
  const auto graph = AllBut(4, {{3, 2}});
  OneBatchWorld world(graph->Only({0}), graph);
  world.remote()->damaged_neighbor = true;
  const auto sink =
      world.Run(Case(NegativeMode::kBinary, 4, OnExhausted::kAccept));
  EXPECT_EQ(sink->failed.code(), absl::StatusCode::kDataLoss) << sink->failed;
}

}  // namespace
}  // namespace tributary
