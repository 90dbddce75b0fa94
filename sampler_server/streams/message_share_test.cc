#include "sampler_server/streams/message_share.h"

#include <gtest/gtest.h>

#include <vector>

namespace tributary {
namespace {

constexpr size_t kOne = 1024;  // with MessageShare::kMessageBytes

std::vector<MessageShare::Hold> TakeAll(MessageShare& share) {
  std::vector<MessageShare::Hold> held;
  while (true) {
    auto hold = share.TryTake(kOne - MessageShare::kMessageBytes);
    if (!hold.ok()) return held;
    held.push_back(*std::move(hold));
  }
}

// 16 of its own, and a quarter of 64.
TEST(MessageShareTest, AStreamHasBytesOfItsOwnAndAQuarterOfTheBudget) {
  const auto budget = SharedBudget::Create("test", 64 * kOne);
  const auto share = std::make_shared<MessageShare>(budget->Open("caller"));
  auto held = TakeAll(*share);
  EXPECT_EQ(held.size(), 16 + 16u);
  EXPECT_EQ(budget->used(), 16 * kOne);
  held.clear();
  EXPECT_EQ(budget->used(), 0u);
  EXPECT_EQ(TakeAll(*share).size(), 16 + 16u);
}

TEST(MessageShareTest, WhatOthersHoldLeavesAStreamItsOwnBytes) {
  const auto budget = SharedBudget::Create("test", 64 * kOne);
  const auto all = budget->Open("other")->TryTake(64 * kOne);
  ASSERT_TRUE(all.ok());
  const auto share = std::make_shared<MessageShare>(budget->Open("caller"));
  EXPECT_EQ(TakeAll(*share).size(), 16u);
}

TEST(MessageShareTest, HoldsMayOutliveIt) {
  const auto budget = SharedBudget::Create("test", 64 * kOne);
  auto share = std::make_shared<MessageShare>(budget->Open("caller"));
  auto held = TakeAll(*share);
  share.reset();
  held.clear();
  EXPECT_EQ(budget->used(), 0u);
}

}  // namespace
}  // namespace tributary
