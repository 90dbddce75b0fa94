#include "trainer_client/torch/inference/loader_slot.h"

#include <gtest/gtest.h>

#include "trainer_client/torch/testing/in_memory_loader.h"

namespace tributary {
namespace {

// Opens loaders of a small graph, whose batch 0 never comes.
class HangingSource final : public BatchSource {
 public:
  absl::StatusOr<std::unique_ptr<DistLoader>> Open(
      const SessionOptions& options) override {
    ++opened;
    NeighborLoaderOptions of_nodes;
    static_cast<CommonLoaderOptions&>(of_nodes) = options;
    of_nodes.num_neighbors = {1};
    return MakeInMemoryLoader(
        std::make_shared<InMemoryGraph>(CommunityGraph(2, 6, 1)), of_nodes,
        {.hang_at = 0});
  }
  int opened = 0;
};

SessionOptions OfSplit(const std::string& split) {
  SessionOptions options;
  options.input_split = split;
  return options;
}

TEST(LoaderSlotTest, CancelsTheLoaderAndThoseThatFollow) {
  HangingSource source;
  LoaderSlot slot(&source);
  const auto loader = slot.Open(OfSplit("train"));
  ASSERT_TRUE(loader.ok()) << loader.status();
  ASSERT_TRUE((*loader)->StartEpoch(0).ok());
  slot.Cancel();
  EXPECT_EQ((*loader)->Next().status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(slot.Open(OfSplit("train")).status().code(),
            absl::StatusCode::kCancelled);
}

TEST(LoaderSlotTest, AnErrorLeavesItEmpty) {
  HangingSource source;
  LoaderSlot slot(&source);
  EXPECT_EQ(slot.Open(OfSplit("none")).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_TRUE(slot.Open(OfSplit("test")).ok());
  EXPECT_EQ(source.opened, 2);
  slot.Close();
  slot.Cancel();  // nothing is open
}

}  // namespace
}  // namespace tributary
