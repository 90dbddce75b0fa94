// Ranks of a job share an epoch without communication: their batches are
// disjoint and together complete, also when a run continues with other ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/hash/sha256.h"
#include "partition/format/testing/graph_builder.h"
#include "trainer_client/core/dist_neighbor_loader.h"
#include "trainer_client/embedded/embedded_server.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kNodes = 50;
constexpr int64_t kInputs = 23;

// A ring with chords; 23 nodes to train on, from the last backwards.
GraphSpec Chords() {
  GraphSpec graph;
  graph.num_nodes = kNodes;
  graph.num_partitions = 3;
  for (int64_t v = 0; v < kNodes; ++v) {
    for (int64_t step : {1, 7, 20}) {
      graph.edges.push_back({(v + step) % kNodes, v});
    }
  }
  for (int64_t v = 0; v < kNodes; ++v) {
    graph.x.push_back(static_cast<float>(v));
  }
  for (int64_t i = 0; i < kInputs; ++i) {
    graph.splits["train"].push_back(kNodes - 1 - 2 * i);
  }
  return graph;
}

struct Taken {
  std::map<uint64_t, std::string> digests;  // by batch index
  std::vector<int64_t> inputs;              // numbers in the list, as taken
};

class RanksTest : public ::testing::Test {
 protected:
  RanksTest() {
    WriteGraphTo(Chords(), folder_.File("graph"));
    EmbeddedServerOptions options;
    options.graph = folder_.File("graph");
    options.num_threads = 2;
    server_ = EmbeddedServer::Start(options).value();
    worker_.servers = server_->address().ToString();
    worker_.rpc_timeout = absl::Seconds(30);
    worker_.buffer_size = uint64_t{4} << 20;
    sampling_.num_neighbors = {2, 2};
    sampling_.input_split = "train";
    sampling_.batch_size = 4;
    sampling_.random_seed = 5;
  }

  std::unique_ptr<DistLoader> Loader(uint32_t rank, uint32_t world) {
    NeighborLoaderOptions options = sampling_;
    options.rank = rank;
    options.world = world;
    auto loader = DistNeighborLoader::Create(
        options, worker_, {server_->executor(), server_->transport()});
    EXPECT_TRUE(loader.ok()) << loader.status();
    return *std::move(loader);
  }

  // Takes at most `count` more batches.
  static void Take(DistLoader& loader, size_t count, Taken& taken) {
    for (size_t i = 0; i < count; ++i) {
      auto batch = loader.Next();
      ASSERT_TRUE(batch.ok()) << batch.status();
      if (!batch->has_value()) return;
      const BatchView& view = (*batch)->view();
      const bool first =
          taken.digests.emplace(view.key().index, ToHex(view.Digest())).second;
      EXPECT_TRUE(first) << view.key().ToString() << " came twice";
      for (int64_t input : view.Find("input_id")->As<int64_t>()) {
        taken.inputs.push_back(input);
      }
    }
  }

  static std::multiset<int64_t> Sorted(const std::vector<int64_t>& inputs) {
    return {inputs.begin(), inputs.end()};
  }
  static std::multiset<int64_t> EachOnce() {
    std::multiset<int64_t> all;
    for (int64_t i = 0; i < kInputs; ++i) all.insert(i);
    return all;
  }

  TemporaryFolder folder_;
  std::unique_ptr<EmbeddedServer> server_;
  RemoteDistSamplingWorkerOptions worker_;
  NeighborLoaderOptions sampling_;
};

constexpr size_t kAll = 1000;

TEST_F(RanksTest, DisjointAndTogetherTheWholeEpoch) {
  Taken alone;
  auto loader = Loader(0, 1);
  ASSERT_TRUE(loader->StartEpoch(3).ok());
  Take(*loader, kAll, alone);
  ASSERT_EQ(alone.digests.size(), 6);  // 23 inputs by 4
  EXPECT_EQ(Sorted(alone.inputs), EachOnce());

  for (uint32_t world : {2, 3, 5, 8}) {
    Taken together;
    for (uint32_t rank = 0; rank < world; ++rank) {
      auto of_rank = Loader(rank, world);
      ASSERT_TRUE(of_rank->StartEpoch(3).ok());
      Taken taken;
      Take(*of_rank, kAll, taken);
      for (const auto& [index, digest] : taken.digests) {
        EXPECT_EQ(index % world, rank);
      }
      together.digests.merge(taken.digests);
      EXPECT_TRUE(taken.digests.empty()) << "two ranks took one batch";
      together.inputs.insert(together.inputs.end(), taken.inputs.begin(),
                             taken.inputs.end());
    }
    EXPECT_EQ(together.digests, alone.digests) << world << " ranks";
    EXPECT_EQ(Sorted(together.inputs), EachOnce()) << world << " ranks";
  }
}

TEST_F(RanksTest, EpochsInOneLoaderAreThoseOfFreshLoaders) {
  auto loader = Loader(0, 1);
  for (uint64_t epoch : {4, 0, 4}) {
    ASSERT_TRUE(loader->StartEpoch(epoch).ok());
    Taken again;
    Take(*loader, kAll, again);
    Taken fresh;
    auto other = Loader(0, 1);
    ASSERT_TRUE(other->StartEpoch(epoch).ok());
    Take(*other, kAll, fresh);
    EXPECT_EQ(again.digests, fresh.digests);
  }
}

TEST_F(RanksTest, ACursorGoesOnWithTheSameBatches) {
  Taken whole;
  auto loader = Loader(0, 1);
  ASSERT_TRUE(loader->StartEpoch(1).ok());
  Take(*loader, kAll, whole);

  Taken parts;
  auto before = Loader(0, 1);
  ASSERT_TRUE(before->StartEpoch(1).ok());
  Take(*before, 2, parts);
  const Cursor cursor = before->CursorAfter(2);
  auto after = Loader(0, 1);
  ASSERT_TRUE(after->Resume(cursor).ok());
  Take(*after, kAll, parts);
  EXPECT_EQ(parts.digests, whole.digests);
}

TEST_F(RanksTest, ACursorGoesOnWithAnotherWorldAndBatchSize) {
  // Two ranks, one optimizer step each: 8 inputs are consumed.
  Taken taken;
  Cursor cursor;
  for (uint32_t rank = 0; rank < 2; ++rank) {
    auto before = Loader(rank, 2);
    ASSERT_TRUE(before->StartEpoch(1).ok());
    Take(*before, 1, taken);
    cursor = before->CursorAfter(1);
  }
  EXPECT_EQ(cursor.consumed, 8);
  EXPECT_EQ(cursor.next_index, 2);

  sampling_.batch_size = 5;
  for (uint32_t rank = 0; rank < 3; ++rank) {
    auto after = Loader(rank, 3);
    ASSERT_TRUE(after->Resume(cursor).ok());
    Take(*after, kAll, taken);
  }
  EXPECT_EQ(Sorted(taken.inputs), EachOnce());
  // 15 inputs by 5 are the batches 2, 3 and 4: no index is used twice.
  std::vector<uint64_t> indices;
  for (const auto& [index, digest] : taken.digests) indices.push_back(index);
  EXPECT_THAT(indices, ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(RanksTest, ACursorOfAnotherListIsRefused) {
  auto loader = Loader(0, 1);
  ASSERT_TRUE(loader->StartEpoch(1).ok());
  const Cursor cursor = loader->CursorAfter(1);
  sampling_.input_split.clear();
  sampling_.input_nodes = {1, 2, 3};
  EXPECT_FALSE(Loader(0, 1)->Resume(cursor).ok());
}

TEST_F(RanksTest, ACursorOfAnotherOrderIsRefused) {
  auto loader = Loader(0, 1);
  ASSERT_TRUE(loader->StartEpoch(1).ok());
  const Cursor cursor = loader->CursorAfter(1);
  EXPECT_EQ(cursor.order.graph, loader->schema().content_digest);
  const NeighborLoaderOptions same = sampling_;
  const auto refusal = [&](NeighborLoaderOptions other) {
    sampling_ = std::move(other);
    return Loader(0, 1)->Resume(cursor);
  };
  EXPECT_TRUE(refusal(same).ok());
  NeighborLoaderOptions other = same;
  ++other.random_seed;
  EXPECT_THAT(std::string(refusal(other).message()),
              testing::HasSubstr("random_seed"));
  other = same;
  other.shuffle = ShuffleMode::kNone;
  EXPECT_THAT(std::string(refusal(other).message()),
              testing::HasSubstr("shuffle"));
  other = same;
  other.drop_last = true;
  EXPECT_THAT(std::string(refusal(other).message()),
              testing::HasSubstr("drop_last"));
}

TEST_F(RanksTest, BatchesOutliveTheLoaderAndGoInAnyOrder) {
  auto loader = Loader(0, 1);
  ASSERT_TRUE(loader->StartEpoch(0).ok());
  std::vector<BatchLease> held;
  for (int i = 0; i < 3; ++i) {
    auto batch = loader->Next();
    ASSERT_TRUE(batch.ok() && batch->has_value()) << batch.status();
    held.push_back(**std::move(batch));
  }
  const std::string digest = ToHex(held[1].view().Digest());
  held.erase(held.begin());
  held.pop_back();
  loader.reset();
  EXPECT_EQ(ToHex(held[0].view().Digest()), digest);
}

}  // namespace
}  // namespace tributary
