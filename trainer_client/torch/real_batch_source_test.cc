#include "trainer_client/torch/real_batch_source.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(RealBatchSourceTest, AFolderThatIsNotThereIsNamed) {
  const auto source = OpenRealBatchSource({.graph = "/nowhere"});
  EXPECT_EQ(source.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(source.status().message().find("/nowhere"), std::string::npos);
}

}  // namespace
}  // namespace tributary
