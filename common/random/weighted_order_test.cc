#include "common/random/weighted_order.h"

#include "common/random/hop_key.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<uint64_t> First(const std::vector<double>& weights, PhiloxKey key,
                            uint64_t count) {
  const auto order = WeightedOrder::Make(weights);
  EXPECT_TRUE(order.ok()) << order.status();
  std::vector<uint64_t> numbers;
  for (uint64_t i = 0; i < count; ++i) numbers.push_back(order->At(key, i));
  return numbers;
}

TEST(WeightedOrder, FollowsTheDocument) {
  EXPECT_THAT(First({1, 2, 0, 3, 4}, MakeOrderKey(11, 2), 10),
              ElementsAre(1, 3, 3, 3, 3, 1, 0, 3, 3, 4));
}

TEST(WeightedOrder, OnlyWhatWeighsIsDrawn) {
  EXPECT_THAT(First({0, 0, 5e-324, 0}, MakeOrderKey(1, 0), 4),
              ElementsAre(2, 2, 2, 2));
}

// Also beyond 2^32 positions, which use another counter.
TEST(WeightedOrder, PositionsAreDrawnAlone) {
  const auto order = WeightedOrder::Make(std::vector<double>(1 << 16, 1));
  ASSERT_TRUE(order.ok()) << order.status();
  const PhiloxKey key = MakeOrderKey(3, 0);
  EXPECT_NE(order->At(key, 7), order->At(key, 7 + (uint64_t{1} << 32)));
  EXPECT_EQ(order->At(key, 7), order->At(key, 7));
  EXPECT_NE(order->At(key, 7), order->At(MakeOrderKey(3, 1), 7));
}

TEST(WeightedOrder, BadWeightsAreNamed) {
  const auto refused = [](const std::vector<double>& weights) {
    const absl::Status status = WeightedOrder::Make(weights).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_THAT(refused({1, -0.5}), HasSubstr("weight 1 is -0.5; allowed"));
  EXPECT_THAT(refused({0.0 / 0.0}), HasSubstr("weight 0 is nan"));
  EXPECT_THAT(refused({1e308 * 10}), HasSubstr("weight 0 is inf"));
  EXPECT_THAT(refused({0, -0.0}), HasSubstr("no weight is above 0"));
  EXPECT_THAT(refused({}), HasSubstr("no weight is above 0"));
}

}  // namespace
}  // namespace tributary
