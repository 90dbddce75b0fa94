#include "common/runtime/shared_budget.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace tributary {
namespace {

using Hold = BudgetShare::Hold;

// Takes one after the other over as many streams as it needs, until the caller
// is refused on a new one; returns what it holds.
std::vector<Hold> TakeAll(SharedBudget& budget, const std::string& caller) {
  std::vector<Hold> holds;
  for (bool took = true; took;) {
    took = false;
    const auto stream = budget.Open(caller);
    for (auto hold = stream->TryTake(1); hold.ok(); hold = stream->TryTake(1)) {
      took = true;
      holds.push_back(*std::move(hold));
    }
  }
  return holds;
}

TEST(SharedBudget, AStreamAloneTakesAQuarterACallerHalf) {
  const auto budget = SharedBudget::Create("test", 1000);
  {
    const auto stream = budget->Open("a");
    std::vector<Hold> holds;
    for (auto hold = stream->TryTake(1); hold.ok(); hold = stream->TryTake(1)) {
      holds.push_back(*std::move(hold));
    }
    EXPECT_EQ(holds.size(), 250);
    EXPECT_EQ(stream->used(), 250);
  }
  const auto a = TakeAll(*budget, "a");
  EXPECT_EQ(a.size(), 500);
  EXPECT_EQ(budget->used_by("a"), 500);
  const auto b = TakeAll(*budget, "b");
  EXPECT_EQ(b.size(), 250);
  EXPECT_GT(TakeAll(*budget, "c").size(), 100);
}

TEST(SharedBudget, ACallerThatHoldsNothingTakesWhatIsFree) {
  const auto budget = SharedBudget::Create("test", 100);
  const auto all = budget->Open("a")->TryTake(100);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(budget->Open("b")->TryTake(1).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(budget->Open("b")->TryTake(101).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(SharedBudget, WhatIsReleasedIsFree) {
  const auto budget = SharedBudget::Create("test", 100);
  auto hold = budget->Open("a")->TryTake(80);
  ASSERT_TRUE(hold.ok());
  hold->ShrinkTo(10);
  EXPECT_EQ(budget->used(), 10);
  Hold moved = *std::move(hold);
  EXPECT_EQ(moved.amount(), 10);
  moved = Hold();
  EXPECT_EQ(budget->used(), 0);
  EXPECT_EQ(budget->used_by("a"), 0);
}

TEST(SharedBudget, ManyThreadsLeaveNothingBehind) {
  const auto budget = SharedBudget::Create("test", 64);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&budget, t] {
        const auto stream = budget->Open(t % 2 == 0 ? "a" : "b");
        for (int i = 0; i < 2000; ++i) {
          const auto hold = stream->TryTake(1 + i % 8);
          EXPECT_LE(budget->used(), 64);
        }
      });
    }
  }
  EXPECT_EQ(budget->used(), 0);
}

}  // namespace
}  // namespace tributary
