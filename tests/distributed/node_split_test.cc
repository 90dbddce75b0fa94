// Shares of ids by rank, and what is made of them.
#include "trainer_client/graph/node_split.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "common/text/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/distributed/graph_fleet.h"
#include "trainer_client/core/batch/hetero_batch.h"
#include "trainer_client/graph/dist_data_loader.h"
#include "trainer_client/tensors/dist_tensor.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Ten ids; four partitions of 4, 1, 3 and 2 of them.
const std::vector<int64_t> kIds = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
const std::vector<uint32_t> kPartitions = {0, 3, 0, 2, 0, 1, 2, 0, 2, 3};

RankShare Share(int rank, int world, bool even = true) {
  return ShareOut(kIds, kPartitions, 4, rank, world, even);
}

TEST(ShareOut, EvenSharesKeepWhatIsLocal) {
  // Rank 0 has the partitions 0 and 1 with five ids, rank 1 the others.
  EXPECT_THAT(Share(0, 2).ids, ElementsAre(10, 12, 14, 15, 17));
  EXPECT_EQ(Share(0, 2).locality, 1.0);
  EXPECT_THAT(Share(1, 2).ids, ElementsAre(11, 13, 16, 18, 19));
  // Parts of 3, 3, 2 and 2: rank 0 has 4 of its own, rank 2 has 3, and what
  // they have too much, 17 and 18, goes to rank 1, which has one.
  EXPECT_THAT(Share(0, 4).ids, ElementsAre(10, 12, 14));
  EXPECT_THAT(Share(1, 4).ids, ElementsAre(15, 17, 18));
  EXPECT_DOUBLE_EQ(*Share(1, 4).locality, 1.0 / 3);
  EXPECT_THAT(Share(2, 4).ids, ElementsAre(13, 16));
  EXPECT_THAT(Share(3, 4).ids, ElementsAre(11, 19));
}

TEST(ShareOut, SharesByPartitionMayDiffer) {
  EXPECT_THAT(Share(0, 4, false).ids, ElementsAre(10, 12, 14, 17));
  EXPECT_THAT(Share(1, 4, false).ids, ElementsAre(15));
  EXPECT_EQ(Share(1, 4, false).locality, 1.0);
  // Ranks 0 and 1 of 8 share partition 0.
  EXPECT_THAT(Share(0, 8, false).ids, ElementsAre(10, 12));
  EXPECT_THAT(Share(1, 8, false).ids, ElementsAre(14, 17));
}

TEST(ShareOut, UnionIsExactInAnyWorld) {
  for (int world = 1; world < 14; ++world) {
    for (const bool even : {true, false}) {
      std::vector<int64_t> all;
      for (int rank = 0; rank < world; ++rank) {
        const RankShare share = Share(rank, world, even);
        EXPECT_EQ(share.total, 10u);
        if (even) {
          EXPECT_GE(share.ids.size(), 10u / world);
          EXPECT_LE(share.ids.size(), 10u / world + (10 % world != 0));
        }
        EXPECT_TRUE(std::is_sorted(share.ids.begin(), share.ids.end()));
        all.insert(all.end(), share.ids.begin(), share.ids.end());
      }
      std::sort(all.begin(), all.end());
      EXPECT_EQ(all, kIds);
    }
  }
}

TEST(ShareOut, WithoutLookUpsIdsAreCutInOrder) {
  const RankShare share = ShareOut(kIds, {}, 4, 1, 3, true);
  EXPECT_THAT(share.ids, ElementsAre(14, 15, 16));
  EXPECT_FALSE(share.locality.has_value());
}

TEST(PartitionsOfRank, CoverAllPartitions) {
  EXPECT_THAT(PartitionsOfRank(5, 0, 2), ElementsAre(0, 1, 2));
  EXPECT_THAT(PartitionsOfRank(5, 1, 2), ElementsAre(3, 4));
  EXPECT_THAT(PartitionsOfRank(2, 2, 3), ElementsAre(1));
  EXPECT_THAT(PartitionsOfRank(2, 1, 3), ElementsAre(0));
}

GraphContent Ring() {
  GraphSpec spec;
  spec.num_nodes = 30;
  for (int64_t i = 0; i < 30; ++i) spec.edges.emplace_back(i, (i + 1) % 30);
  for (int64_t i = 0; i < 23; ++i) spec.splits["train"].push_back(29 - i);
  return MakeContent(spec);
}

// The ranks' loaders take every input once, over all ranks.
TEST(RankShare, LoadersTakeItAsTheirOwn) {
  GraphFleet fleet(Ring(), {.partitions = 3});
  std::vector<int64_t> all;
  for (int rank = 0; rank < 2; ++rank) {
    auto graph = fleet.Open(rank, 2);
    const RankShare share = NodeSplit(*graph, {.split = "train"}).value();
    NeighborLoaderOptions options;
    options.num_neighbors = {1};
    options.batch_size = 4;
    UseShare(share, nullptr, &options);
    EXPECT_EQ(options.shuffle, ShuffleMode::kLocal);
    auto loader = DistNodeDataLoader::Create(options, fleet.workers().loader(),
                                             fleet.workers().environment());
    ASSERT_TRUE(loader.ok()) << loader.status();
    ASSERT_TRUE((*loader)->StartEpoch(0).ok());
    EXPECT_EQ((*loader)->rounds(), 3u);
    std::vector<int64_t> own;
    while (true) {
      auto batch = (*loader)->Next();
      ASSERT_TRUE(batch.ok()) << batch.status();
      if (!batch->has_value()) break;
      const auto typed =
          ToTypedBatch((*batch)->view(), (*loader)->schema()).value();
      const auto n_id = typed.nodes.at("node").n_id;
      own.insert(own.end(), n_id.begin(), n_id.begin() + typed.batch_size);
    }
    EXPECT_FALSE(std::is_sorted(own.begin(), own.end()));
    all.insert(all.end(), own.begin(), own.end());
    std::sort(own.begin(), own.end());
    EXPECT_EQ(own, share.ids);
  }
  std::sort(all.begin(), all.end());
  std::vector<int64_t> expected(23);
  std::iota(expected.begin(), expected.end(), 7);
  EXPECT_EQ(all, expected);
}

TEST(DistDataLoader, PassesIdsToTheUsersFunction) {
  const auto collate = [](absl::Span<const int64_t> ids)
      -> absl::StatusOr<std::vector<int64_t>> {
    if (ids[0] == 13) return absl::InternalError("thirteen");
    return std::vector<int64_t>(ids.begin(), ids.end());
  };
  using Loader = DistDataLoader<std::vector<int64_t>>;
  auto loader =
      Loader::Create(kIds, collate, {.batch_size = 3, .shuffle = false});
  ASSERT_TRUE(loader.ok());
  EXPECT_EQ(loader->num_batches(), 4u);
  EXPECT_THAT(**loader->Next(), ElementsAre(10, 11, 12));
  EXPECT_EQ(loader->Next().status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(**loader->Next(), ElementsAre(16, 17, 18));
  EXPECT_THAT(**loader->Next(), ElementsAre(19));
  EXPECT_FALSE(loader->Next()->has_value());
  EXPECT_FALSE(loader->Next()->has_value());

  auto shuffled =
      Loader::Create({0, 1, 2, 3, 4, 5, 6, 7}, collate,
                     {.batch_size = 8, .drop_last = true, .random_seed = 4});
  shuffled->StartEpoch(1);
  auto first = **shuffled->Next();
  shuffled->StartEpoch(2);
  const auto second = **shuffled->Next();
  shuffled->StartEpoch(1);
  EXPECT_EQ(**shuffled->Next(), first);
  EXPECT_NE(first, second);
  std::sort(first.begin(), first.end());
  EXPECT_THAT(first, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_FALSE(Loader::Create({}, collate).ok());
  EXPECT_FALSE(Loader::Create({1}, collate, {.batch_size = 0}).ok());
}

// The example of docs/distributed-data.md.
absl::StatusOr<size_t> DocsExample(SamplingWorkers* workers, uint64_t step) {
  ASSIGN_OR_RETURN(auto context, DistContext::Open(workers, {}));
  ASSIGN_OR_RETURN(auto graph, DistGraph::Create(*context, ""));

  // This rank's training nodes, and their features and labels.
  ASSIGN_OR_RETURN(RankShare share, NodeSplit(*graph, {.split = "train"}));
  ASSIGN_OR_RETURN(GraphData * nodes, graph->ndata());
  ASSIGN_OR_RETURN(GraphRows mask, nodes->Read("train_mask", share.ids));

  // Batches that servers make of them: not shared out again.
  NeighborLoaderOptions loading;
  loading.num_neighbors = {15, 10};
  loading.batch_size = 1024;
  UseShare(share, context.get(), &loading);
  ASSIGN_OR_RETURN(auto loader,
                   DistNodeDataLoader::Create(loading, workers->loader(),
                                              workers->environment()));
  RETURN_IF_ERROR(loader->StartEpoch(0));
  ASSIGN_OR_RETURN(auto batch, loader->Next());
  if (!batch.has_value()) return absl::InternalError("no batch");

  // Or batches of one's own.
  const auto collate = [&](absl::Span<const int64_t> ids) {
    return graph->SampleNeighbors({{"", {ids.begin(), ids.end()}}}, 10,
                                  {.key = {.random_seed = 1, .index = step}});
  };
  ASSIGN_OR_RETURN(auto own, DistDataLoader<EdgesByType>::Create(
                                 share.ids, collate, {.batch_size = 1024}));
  ASSIGN_OR_RETURN(auto edges, own.Next());
  return mask.num_rows + edges->at("node,to,node").size();
}

TEST(DistGraph, TheDocsExampleRuns) {
  GraphFleet fleet(Ring(), {.partitions = 2});
  const auto result = DocsExample(&fleet.workers(), 3);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, 46u);  // 23 nodes with one in-edge each
}

// A tensor of the group under a name of the graph's.
TEST(GraphData, TensorsHaveNames) {
  GraphFleet fleet(Ring(), {.partitions = 2});
  auto context = DistContext::Open(&fleet.workers(), {});
  ASSERT_TRUE(context.ok()) << context.status();
  auto graph = DistGraph::Create(**context, "");
  ASSERT_TRUE(graph.ok()) << graph.status();
  DistTensorOptions options;
  options.name = "emb";
  options.num_rows = 30;
  options.dim = 2;
  options.policy = "node:node";
  auto tensor = DistTensor::Create(**context, options);
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  GraphData& nodes = **(*graph)->ndata();
  ASSERT_TRUE(nodes.Assign("h", tensor->get()).ok());
  const float values[] = {1, 2, 3, 4};
  ASSERT_TRUE((*tensor)
                  ->Set({7, 29}, {reinterpret_cast<const uint8_t*>(values),
                                  sizeof(values)})
                  .ok());
  EXPECT_THAT(nodes.Read("h", {29, 0, 7})->As<float>(),
              ElementsAre(3, 4, 0, 0, 1, 2));
  EXPECT_THAT(nodes.Names(), ElementsAre("h", "train_mask"));
  const absl::Status stored = nodes.Assign("train_mask", tensor->get());
  EXPECT_EQ(stored.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(stored.message()), HasSubstr("read-only"));
  options.name = "short";
  options.num_rows = 29;
  options.policy = "";
  auto other = DistTensor::Create(**context, options);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(nodes.Assign("h", other->get()).code(),
            absl::StatusCode::kInvalidArgument);
  ASSERT_TRUE(nodes.Remove("h").ok());
  EXPECT_EQ(nodes.Read("h", {0}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(*MostBatchesOf(context->get())(4), 4u);
}

}  // namespace
}  // namespace tributary
