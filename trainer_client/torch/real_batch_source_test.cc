#include "trainer_client/torch/real_batch_source.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

// The server reserves a batch twice: one that fills the ring must fit.
TEST(RealBatchSourceTest, TheServerHasRoomForABatchThatFillsTheRing) {
  BatchSourceOptions options{.graph = "g"};
  options.worker.buffer_size = 700 * kMiB;
  const EmbeddedServerOptions server = EmbeddedOptionsOf(options);
  EXPECT_EQ(server.graph, "g");
  EXPECT_EQ(server.memory_budget, 1400 * kMiB);
}

TEST(RealBatchSourceTest, TheRingIsWholePages) {
  BatchSourceOptions options{.graph = "g"};
  options.worker.buffer_size = 700 * kMiB + 1;
  EXPECT_EQ(EmbeddedOptionsOf(options).memory_budget, 1400 * kMiB + 2 * 4096);
}

TEST(RealBatchSourceTest, ASmallRingLeavesTheServerItsDefault) {
  BatchSourceOptions options{.graph = "g"};
  options.worker.buffer_size = 1 * kMiB;
  EXPECT_EQ(EmbeddedOptionsOf(options).memory_budget, 1024 * kMiB);
}

TEST(RealBatchSourceTest, AFolderThatIsNotThereIsNamed) {
  const auto source = OpenRealBatchSource({.graph = "/nowhere"});
  EXPECT_EQ(source.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(source.status().message().find("/nowhere"), std::string::npos);
}

}  // namespace
}  // namespace tributary
