#include "sampler_server/service/data/stream_share.h"

#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

TEST(StreamShareTest, AStreamTakesAQuarterAtMost) {
  const auto budget = ByteBudget::Create("data budget", 400);
  const auto share = std::make_shared<StreamShare>(budget);
  auto first = share->TryReserve(60);
  ASSERT_TRUE(first.ok());
  auto second = share->TryReserve(41);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(second.status().message(), HasSubstr("share, 100 bytes"));
  EXPECT_EQ(share->TryReserve(101).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(budget->used(), 60u);
  first->Release();
  EXPECT_EQ(budget->used(), 0u);
  EXPECT_TRUE(share->TryReserve(100).ok());
  EXPECT_EQ(share->used(), 0u);
}

TEST(StreamShareTest, AStreamThatTakesItsShareLeavesTheOthersTheirs) {
  const auto budget = ByteBudget::Create("data budget", 400);
  const auto greedy = std::make_shared<StreamShare>(budget);
  const auto other = std::make_shared<StreamShare>(budget);
  const auto held = greedy->TryReserve(100);
  ASSERT_TRUE(held.ok());
  EXPECT_FALSE(greedy->TryReserve(1).ok());
  EXPECT_TRUE(other->TryReserve(100).ok());
}

TEST(StreamShareTest, MovedHoldsCountOnce) {
  const auto budget = ByteBudget::Create("data budget", 400);
  const auto share = std::make_shared<StreamShare>(budget);
  StreamShare::Hold hold;
  {
    auto taken = share->TryReserve(40);
    ASSERT_TRUE(taken.ok());
    hold = *std::move(taken);
  }
  EXPECT_EQ(share->used(), 40u);
  hold = StreamShare::Hold();
  EXPECT_EQ(share->used(), 0u);
  EXPECT_EQ(budget->used(), 0u);
}

}  // namespace
}  // namespace tributary
