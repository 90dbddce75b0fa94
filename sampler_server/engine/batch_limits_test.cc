// Batches larger than their credit: bounded memory, honest answers, few tries.
#include <gtest/gtest.h>

#include "sampler_server/engine/testing/one_batch.h"

namespace tributary {
namespace {

// Node 0 has 100,000 neighbours, in the partition that is asked for.
std::shared_ptr<MemoryGraph> Hub(int64_t x_dim) {
  constexpr int64_t kNodes = 100'001;
  MemoryGraphSpec spec;
  spec.num_partitions = 2;
  spec.node_types = {{.num_nodes = kNodes, .x_dim = x_dim}};
  MemoryGraphSpec::EdgeType& edges = spec.edge_types.emplace_back();
  for (int64_t u = 1; u < kNodes; ++u) edges.edges.emplace_back(u, 0);
  return MemoryGraph::Make(spec);
}

BatchCase HubCase(uint64_t max_bytes) {
  BatchCase batch;
  batch.inputs = {0};
  batch.options.num_neighbors = {-1};
  batch.options.batch_size = 1;
  batch.max_bytes = max_bytes;
  return batch;
}

// 100,000 edges of 16 bytes and 100,001 nodes of 8, and a little.
constexpr uint64_t kHubBytes = 100'000 * 16 + 100'001 * 8;

int TriesUntilReady(const std::shared_ptr<const Graph>& graph,
                    const std::shared_ptr<const Graph>& remote,
                    BatchCase batch) {
  for (int tries = 1; tries < 50; ++tries) {
    OneBatchWorld world(graph, remote);
    const auto sink = world.Run(batch);
    if (sink->ready.has_value()) return tries;
    EXPECT_TRUE(sink->needs.has_value()) << sink->failed;
    // Each answer is true, and well above the credit or exact.
    EXPECT_GT(*sink->needs, batch.max_bytes);
    EXPECT_LE(*sink->needs, kHubBytes + 4096);
    if (world.remote() != nullptr) {
      EXPECT_LE(world.remote()->most_reply_bytes, 2 * batch.max_bytes + 1024);
    }
    batch.max_bytes = *sink->needs;
  }
  return 50;
}

TEST(BatchLimits, AHubIsNotReadWhole) {
  const auto graph = Hub(0);
  const auto sink = OneBatchWorld(graph).Run(HubCase(10'000));
  ASSERT_TRUE(sink->needs.has_value());
  EXPECT_GT(*sink->needs, 20'000u);  // at least twice as much
  EXPECT_LT(*sink->needs, 40'000u);  // what it had seen when it stopped
  EXPECT_EQ(sink->room.size(), 0u);
}

TEST(BatchLimits, TriesConverge) {
  const auto graph = Hub(0);
  EXPECT_LE(TriesUntilReady(graph, nullptr, HubCase(1)), 13);
  EXPECT_LE(TriesUntilReady(graph, nullptr, HubCase(10'000)), 9);
  EXPECT_LE(TriesUntilReady(graph->Only({1}), graph, HubCase(10'000)), 9);
  EXPECT_EQ(TriesUntilReady(graph, nullptr, HubCase(kHubBytes + 4096)), 1);
}

// With wide rows the exact size is known although it is far above the credit.
TEST(BatchLimits, WideRowsAreAnsweredExactly) {
  const auto graph = Hub(64);
  BatchCase batch = HubCase(4'000'000);
  const auto sink = OneBatchWorld(graph).Run(batch);
  ASSERT_TRUE(sink->needs.has_value());
  batch.max_bytes = *sink->needs;
  EXPECT_EQ(OneBatchWorld(graph).Run(batch)->ready, sink->needs);
}

}  // namespace
}  // namespace tributary
