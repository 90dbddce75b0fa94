// The vectors of docs/sampling.md for edges of either direction.
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
  AddReverses(&spec);
  return MemoryGraph::Make(spec);
}

BatchCase Case(EdgeDirection direction, Values inputs,
               std::vector<int32_t> fanouts) {
  BatchCase batch;
  batch.inputs = std::move(inputs);
  batch.options.batch_size = 3;
  batch.options.num_neighbors.by_default = std::move(fanouts);
  batch.options.random_seed = 7;
  batch.options.draws.edge_dir = direction;
  return batch;
}

BatchCase FirstBatch(EdgeDirection direction) {
  return Case(direction, {0, 3, 1, 6}, {2, 2});
}

TEST(DirectionVectors, Out) {
  const auto sink = ExpectDigestOnLayouts(
      SevenNodes, FirstBatch(EdgeDirection::kOut),
      "5e1cd849e2779e72a6d833208ed2584136826dbaae78cfb0959bcbc0ed6f4eb3");
  EXPECT_EQ(Ints(*sink, "n_id"), (Values{3, 6, 1, 0}));
  EXPECT_EQ(Ints(*sink, "e_id"), (Values{2, 6, 0, 11, 5, 10}));
  EXPECT_EQ(Ints(*sink, "edge_index"),
            (Values{0, 0, 2, 2, 3, 3, 3, 2, 3, 0, 2, 0}));
  EXPECT_EQ(Ints(*sink, "num_sampled_edges"), (Values{4, 2}));
}

TEST(DirectionVectors, Both) {
  const auto sink = ExpectDigestOnLayouts(
      SevenNodes, FirstBatch(EdgeDirection::kBoth),
      "a9dae80f5190c43da53bc895269f862a8f21746b5226f48ed80e1598abcb3c71");
  EXPECT_EQ(Ints(*sink, "n_id"), (Values{3, 6, 1, 0, 2}));
  EXPECT_EQ(Ints(*sink, "e_id"),
            (Values{10, 11, 5, 6, 2, 6, 0, 11, 1, 2, 5, 10}));
  EXPECT_EQ(Ints(*sink, "num_sampled_edges"), (Values{8, 4}));
}

// Edge 8, from node 5 to itself.
TEST(DirectionVectors, ASelfLoopComesOnce) {
  BatchCase batch = Case(EdgeDirection::kBoth, {5, 0, 2}, {-1});
  batch.options.shuffle = ShuffleMode::kNone;
  const auto sink = ExpectDigestOnLayouts(
      SevenNodes, batch,
      "a84f690d9ed1a20034b2e68836972fa4b880ce238b879135ad6d42baaa53a515");
  EXPECT_EQ(Ints(*sink, "e_id"), (Values{8, 0, 1, 4, 2, 3, 7, 7, 5, 10, 1, 4}));
}

}  // namespace
}  // namespace tributary
