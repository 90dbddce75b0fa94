// The vectors of docs/sampling.md that a tiny graph can show.
#include <gtest/gtest.h>

#include "partition/format/testing/graph_builder.h"
#include "partition/format/testing/seven_nodes.h"
#include "sampler_server/engine/testing/one_batch.h"

namespace tributary {
namespace {

using Values = std::vector<int64_t>;

std::shared_ptr<const Graph> SevenNodes(uint32_t partitions,
                                        const OpenOptions& options = {}) {
  GraphSpec spec;
  spec.num_nodes = 7;
  spec.edges = SevenNodesEdges();
  spec.num_partitions = partitions;
  spec.degrees = true;
  return BuildGraph(spec, options);
}

BatchCase SevenNodesCase() {
  BatchCase batch;
  batch.inputs = {0, 3, 1, 6};
  batch.options.num_neighbors = {2, 2};
  batch.options.batch_size = 3;
  batch.options.random_seed = 7;
  return batch;
}

TEST(Vectors, FirstBatch) {
  const auto sink = OneBatchWorld(SevenNodes(1)).Run(SevenNodesCase());
  EXPECT_EQ(Ints(*sink, "n_id"), (Values{3, 6, 1, 0, 2}));
  EXPECT_EQ(Ints(*sink, "e_id"), (Values{10, 11, 5, 6, 1, 2}));
  EXPECT_EQ(Ints(*sink, "edge_index"),
            (Values{3, 2, 3, 0, 4, 0, 0, 0, 2, 2, 3, 3}));
  EXPECT_EQ(Ints(*sink, "input_id"), (Values{1, 3, 2}));
  EXPECT_EQ(Ints(*sink, "num_sampled_nodes"), (Values{3, 1, 1}));
  EXPECT_EQ(Ints(*sink, "num_sampled_edges"), (Values{4, 2}));
  EXPECT_EQ(Ints(*sink, "batch_size"), (Values{3}));
  EXPECT_EQ(Ints(*sink, "seed_index"), (Values{0, 1, 2}));
  EXPECT_EQ(BatchView::Parse(sink->room.span())->payload_bytes(), 220u);
  EXPECT_EQ(DigestOf(*sink),
            "40f3931e79d7981eab5280634bd5c838e70fd027f06808b251600db22e804e68");
}

TEST(Vectors, LastBatchIsShort) {
  BatchCase batch = SevenNodesCase();
  batch.index = 1;
  const auto sink = OneBatchWorld(SevenNodes(1)).Run(batch);
  EXPECT_EQ(Ints(*sink, "n_id"), (Values{0, 1, 2, 3, 5}));
  EXPECT_EQ(Ints(*sink, "e_id"), (Values{0, 1, 5, 6, 7}));
  EXPECT_EQ(BatchView::Parse(sink->room.span())->payload_bytes(), 180u);
  EXPECT_EQ(DigestOf(*sink),
            "1814728e52adf5b868d94eb58f194146e7abf74beff49ab192bbf29f39928803");
}

TEST(Vectors, DuplicateInputs) {
  BatchCase batch = SevenNodesCase();
  batch.inputs = {0, 3, 0, 6};
  batch.options.shuffle = ShuffleMode::kNone;
  batch.options.batch_size = 4;
  const auto sink = OneBatchWorld(SevenNodes(1)).Run(batch);
  EXPECT_EQ(Ints(*sink, "n_id"), (Values{0, 3, 6, 2, 1, 5}));
  EXPECT_EQ(Ints(*sink, "seed_index"), (Values{0, 1, 0, 2}));
  EXPECT_EQ(BatchView::Parse(sink->room.span())->payload_bytes(), 256u);
  EXPECT_EQ(DigestOf(*sink),
            "4c92935fb4b51c0f6b7b1cf6f02364030ac40c8e8844d0e2d223a61f78f48e8f");
}

TEST(Vectors, AllNeighbors) {
  BatchCase batch = SevenNodesCase();
  batch.options.shuffle = ShuffleMode::kNone;
  batch.options.num_neighbors = {-1, -1};
  EXPECT_EQ(DigestOf(*OneBatchWorld(SevenNodes(1)).Run(batch)),
            "3afd91386264c5d59d83bb6be9cda114802361346cabc0cefb0bebdf76722bfd");
}

// Node 3 has the in-edges 9, 10 and 11, and the out-edges 2 and 6.
TEST(Vectors, Degrees) {
  BatchCase batch = SevenNodesCase();
  batch.options.collect_degrees = true;
  const auto all = SevenNodes(4);
  const auto one = SevenNodes(4, {.partitions = {1}});
  OneBatchWorld whole(SevenNodes(1)), parted(one, all);
  for (OneBatchWorld* world : {&whole, &parted}) {
    const auto sink = world->Run(batch);
    EXPECT_EQ(Ints(*sink, "n_id"), (Values{3, 6, 1, 0, 2}));
    EXPECT_EQ(Ints(*sink, "in_degree"), (Values{3, 0, 2, 5, 1}));
    EXPECT_EQ(Ints(*sink, "out_degree"), (Values{2, 0, 2, 2, 2}));
    EXPECT_EQ(BatchView::Parse(sink->room.span())->payload_bytes(), 300u);
    EXPECT_EQ(
        DigestOf(*sink),
        "b53fc23c811680b5e52436d163406dcb623f08b56e551fbad07b5b2b5da39a93");
  }
}

// The layout and where partitions live change nothing.
TEST(Vectors, PartitionsAndPeersChangeNothing) {
  for (uint32_t partitions = 2; partitions <= 7; ++partitions) {
    const auto all = SevenNodes(partitions);
    EXPECT_EQ(
        DigestOf(*OneBatchWorld(all).Run(SevenNodesCase())),
        "40f3931e79d7981eab5280634bd5c838e70fd027f06808b251600db22e804e68");
    const auto one = SevenNodes(partitions, {.partitions = {1}});
    EXPECT_EQ(
        DigestOf(*OneBatchWorld(one, all).Run(SevenNodesCase())),
        "40f3931e79d7981eab5280634bd5c838e70fd027f06808b251600db22e804e68");
  }
}

}  // namespace
}  // namespace tributary
