// The vectors of docs/sampling.md for bidirectional and induced subgraphs.
#include <gtest/gtest.h>

#include "partition/format/testing/seven_nodes.h"
#include "sampler_server/engine/testing/layouts.h"

namespace tributary {
namespace {

using Values = std::vector<int64_t>;

std::shared_ptr<MemoryGraph> SevenNodes(uint32_t partitions) {
  MemoryGraphSpec spec;
  spec.num_partitions = partitions;
  spec.node_types = {{.num_nodes = 7}};
  spec.edge_types.push_back({.edges = SevenNodesEdges()});
  return MemoryGraph::Make(spec);
}

BatchCase Case(SubgraphType type, Values inputs, std::vector<int32_t> fanouts) {
  BatchCase batch;
  batch.options.batch_size = inputs.size();
  batch.inputs = std::move(inputs);
  batch.options.num_neighbors.by_default = std::move(fanouts);
  batch.options.random_seed = 7;
  batch.options.shuffle = ShuffleMode::kNone;
  batch.options.subgraph.type = type;
  return batch;
}

BatchCase FirstBatch(SubgraphType type) {
  BatchCase batch = Case(type, {0, 3, 1, 6}, {2, 2});
  batch.options.shuffle = ShuffleMode::kGlobal;
  batch.options.batch_size = 3;
  return batch;
}

TEST(SubgraphVectors, Induced) {
  const auto sink = ExpectDigestOnLayouts(
      SevenNodes, FirstBatch(SubgraphType::kInduced),
      "88d8e17c4908085320eebdb8680088bb946caa13aa988962a5e9824f1ed335a4");
  EXPECT_EQ(Ints(*sink, "n_id"), (Values{3, 6, 1, 0, 2}));
  EXPECT_EQ(Ints(*sink, "e_id"), (Values{10, 11, 5, 6, 0, 1, 4, 2}));
  EXPECT_EQ(Ints(*sink, "edge_index"),
            (Values{3, 2, 3, 0, 2, 4, 4, 0, 0, 0, 2, 2, 3, 3, 3, 3}));
  EXPECT_EQ(Ints(*sink, "num_sampled_nodes"), (Values{3, 1, 1}));
  EXPECT_TRUE(Ints(*sink, "num_sampled_edges").empty());
}

// All within one hop of node 1, and all edges among those.
TEST(SubgraphVectors, OneHop) {
  const auto sink = ExpectDigestOnLayouts(
      SevenNodes, Case(SubgraphType::kInduced, {1}, {-1}),
      "11f9c8184a3a0cffcf677401fe28caf592a6850e2c061a95ba4a69d400380d1d");
  EXPECT_EQ(Ints(*sink, "n_id"), (Values{1, 0, 3}));
  EXPECT_EQ(Ints(*sink, "e_id"), (Values{5, 6, 0, 2, 10, 11}));
}

// ShaDow: each input has its own subgraph.
TEST(SubgraphVectors, InducedInEachTree) {
  BatchCase batch = Case(SubgraphType::kInduced, {0, 3, 0, 6}, {1, 1});
  batch.options.draws.disjoint = true;
  const auto sink = ExpectDigestOnLayouts(
      SevenNodes, batch,
      "3b3dc53f83f5591de79d1eba9bbee8db7f72a2a844240f2c06455159668b26ca");
  EXPECT_EQ(Ints(*sink, "n_id"), (Values{0, 3, 0, 6, 4, 0, 3, 2, 1}));
  EXPECT_EQ(Ints(*sink, "batch"), (Values{0, 1, 2, 3, 0, 1, 2, 1, 2}));
  EXPECT_EQ(Ints(*sink, "e_id"), (Values{3, 10, 0, 2, 1, 4, 2, 10, 11, 5, 6}));
  EXPECT_EQ(Ints(*sink, "seed_index"), (Values{0, 1, 2, 3}));
}

TEST(SubgraphVectors, Bidirectional) {
  const auto sink = ExpectDigestOnLayouts(
      SevenNodes, FirstBatch(SubgraphType::kBidirectional),
      "562e255bd178de6ea3fa8b0b9f8d569606aa27c988e827dc256261fbc6da1f11");
  EXPECT_EQ(Ints(*sink, "n_id"), (Values{3, 6, 1, 0, 2}));
  EXPECT_EQ(Ints(*sink, "e_id"), (Values{11, 10, 6, 5, 2, 5, 1, 1}));
  EXPECT_EQ(Ints(*sink, "edge_index"),
            (Values{2, 3, 0, 3, 0, 2, 4, 3, 0, 0, 2, 2, 3, 3, 3, 4}));
  EXPECT_TRUE(Ints(*sink, "num_sampled_edges").empty());
}

TEST(SubgraphVectors, BidirectionalInEachTree) {
  BatchCase batch = Case(SubgraphType::kBidirectional, {0, 3, 0, 6}, {1, 1});
  batch.options.draws.disjoint = true;
  ExpectDigestOnLayouts(
      SevenNodes, batch,
      "06c477ebbd3238e17e215916665faa5c2eebb8de9f2baf5fda0a24b170cb4371");
}

// Types a, b; b's edges to a and their reverses: 0 likes 1, 1 likes 0 and 1.
TEST(SubgraphVectors, AReverseTypeMirrorsItsType) {
  MemoryGraphSpec spec;
  spec.heterogeneous = true;
  spec.node_types = {{.name = "a", .num_nodes = 2},
                     {.name = "b", .num_nodes = 2}};
  spec.edge_types = {
      {.src = "a", .rel = "rev_likes", .dst = "b", .edges = {{1, 0}, {0, 1}}},
      {.src = "b", .rel = "likes", .dst = "a", .edges = {{0, 1}, {1, 0}}},
      {.src = "b", .rel = "sees", .dst = "a", .edges = {{1, 1}}}};
  BatchCase batch = Case(SubgraphType::kBidirectional, {1}, {-1});
  batch.options.input_type = "a";
  const auto sink = OneBatchWorld(MemoryGraph::Make(spec)).Run(batch);
  ASSERT_TRUE(sink->failed.ok()) << sink->failed;
  EXPECT_EQ(Ints(*sink, "n_id/b"), (Values{0, 1}));
  EXPECT_EQ(Ints(*sink, "edge_index/b__likes__a"), (Values{0, 0}));
  EXPECT_EQ(Ints(*sink, "edge_index/a__rev_likes__b"), (Values{0, 0}));
  EXPECT_EQ(Ints(*sink, "e_id/a__rev_likes__b"), (Values{0}));
  // Nothing leads back.
  EXPECT_EQ(Ints(*sink, "edge_index/b__sees__a"), (Values{1, 0}));
}

// In-edges of 0, 1 and 3: 5, 2 and 3.
TEST(SubgraphVectors, AHubIsNotLookedAtForEver) {
  for (const uint32_t partitions : {1, 3}) {
    const auto graph = SevenNodes(partitions);
    BatchCase batch = Case(SubgraphType::kInduced, {1}, {-1});
    for (const bool peer : {false, true}) {
      const auto run = [&](uint64_t most) {
        batch.options.subgraph.max_scanned_edges = most;
        return peer ? OneBatchWorld(graph->Only({2}), graph).Run(batch)
                    : OneBatchWorld(graph).Run(batch);
      };
      if (peer && partitions == 1) continue;
      EXPECT_TRUE(run(10)->ready.has_value());
      for (const uint64_t too_few : {1, 5, 9}) {
        const auto refused = run(too_few);
        EXPECT_EQ(refused->failed.code(), absl::StatusCode::kInvalidArgument);
        EXPECT_NE(refused->failed.message().find("max_scanned_edges, " +
                                                 std::to_string(too_few)),
                  std::string::npos)
            << refused->failed;
      }
    }
  }
}

}  // namespace
}  // namespace tributary
