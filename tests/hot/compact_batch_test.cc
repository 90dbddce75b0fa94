// Batches whose edges come compact, as large as a trainer's: how few bytes they
// take, and that they are the whole ones.
#include <gtest/gtest.h>

#include <cstring>

#include "common/batch/compact/compact_measure.h"
#include "sampler_server/engine/testing/one_batch.h"
#include "trainer_client/core/held/batch_fill.h"

namespace tributary {
namespace {

// Nodes with few and many in-edges, whose sources are mostly the first nodes.
MemoryGraphSpec Skewed() {
  constexpr int64_t kNodes = 60'000, kEdges = 900'000;
  MemoryGraphSpec spec;
  spec.num_partitions = 2;
  spec.node_types = {{.name = "node", .num_nodes = kNodes}};
  MemoryGraphSpec::EdgeType& type = spec.edge_types.emplace_back();
  type.src = type.dst = "node";
  type.rel = "to";
  uint64_t state = 1;
  const auto draw = [&state] {
    state = state * 6364136223846793005 + 1442695040888963407;
    return static_cast<double>(state >> 33) / static_cast<double>(1u << 31);
  };
  for (int64_t e = 0; e < kEdges; ++e) {
    const double src = draw(), dst = draw();
    type.edges.emplace_back(static_cast<int64_t>(src * src * kNodes),
                            static_cast<int64_t>(dst * dst * kNodes));
  }
  return spec;
}

class CompactBatch : public testing::TestWithParam<bool> {};

// With edge ids and without.
TEST_P(CompactBatch, TakesFewBytesAndIsTheWholeBatch) {
  const bool omit_edge_ids = GetParam();
  const auto graph = MemoryGraph::Make(Skewed());
  BatchCase batch;
  batch.options.num_neighbors = {15, 10, 5};
  batch.options.batch_size = 512;
  batch.options.omit_edge_ids = omit_edge_ids;
  for (int64_t i = 0; i < 512; ++i) batch.inputs.push_back(i * 101);
  const auto whole = OneBatchWorld(graph).Run(batch);
  ASSERT_TRUE(whole->ready.has_value()) << whole->failed;
  BatchRequest request = RequestOf(graph->schema(), batch);
  request.compact = true;
  OneBatchWorld world(graph);
  const auto sink = world.Start(std::move(request));
  (void)world.world().Drain(1'000'000);
  ASSERT_EQ(sink->ready, whole->ready) << sink->failed;

  const auto view = BatchView::Parse(whole->room.span());
  ASSERT_TRUE(view.ok()) << view.status();
  const auto edges = static_cast<uint64_t>(view->Find("edge_index")->shape[1]);
  ASSERT_GT(edges, 150'000u);  // several steps
  EXPECT_EQ(sink->left_out.bytes(), sink->left_out.compact_bytes);
  // A batch that is whole says how much that is.
  EXPECT_EQ(CompactSavingOf(*view), sink->left_out.compact_bytes);
  const uint64_t whole_bytes = (omit_edge_ids ? 8 : 16) * edges;
  const uint64_t sent = whole_bytes - sink->left_out.compact_bytes;
  // Edge ids have three bytes each.
  EXPECT_LT(sent - (omit_edge_ids ? 0 : 3 * edges), 16 * edges / 5);
  EXPECT_LT(sent, 16 * edges * 2 / 5);

  AlignedBuffer slot(*sink->ready);
  std::memset(slot.data(), 0xEE, slot.size());
  size_t from = 0, to = 0;
  const auto copy = [&](size_t end) {
    std::memcpy(slot.data() + to, sink->room.data() + from, end - to);
    from += end - to;
    to = end;
  };
  for (const BatchGap& gap : sink->left_out.gaps) {
    copy(gap.offset);
    to += gap.bytes;
  }
  copy(slot.size());
  const HeldView nothing;
  BatchFill fill(slot.span(), sink->left_out, nothing, /*compact=*/true);
  std::optional<FillEnd> end;
  int steps = 0;
  while (!end.has_value()) {
    end = fill.Step();
    ASSERT_LT(++steps, 10'000);
  }
  ASSERT_TRUE(end->status.ok()) << end->status;
  EXPECT_GT(steps, omit_edge_ids ? 3 : 6);
  EXPECT_EQ(std::memcmp(slot.data(), whole->room.data(), slot.size()), 0);
}

INSTANTIATE_TEST_SUITE_P(EdgeIds, CompactBatch, testing::Bool());

}  // namespace
}  // namespace tributary
