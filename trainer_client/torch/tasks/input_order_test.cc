#include "trainer_client/torch/tasks/input_order.h"

#include <gtest/gtest.h>

#include <string>

namespace tributary {
namespace {

using Rows = std::vector<size_t>;

TEST(InputOrderTest, SortsRowsByInputNumber) {
  EXPECT_EQ(*InputOrder({40, 7, 19}), (Rows{1, 2, 0}));
  EXPECT_EQ(*InputOrder({}), Rows{});
}

TEST(InputOrderTest, NamesAnInputThatIsThereTwice) {
  const absl::Status status = InputOrder({3, 8, 5, 8}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(status.message()).find("input 8 "), std::string::npos)
      << status;
}

TEST(InputOrderTest, MovesWholeRows) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const Rows order = {2, 0, 1};
  EXPECT_EQ(InOrder<float>(values, 2, order),
            (std::vector<float>{5, 6, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace tributary
