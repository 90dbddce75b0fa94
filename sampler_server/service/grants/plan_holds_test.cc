#include "sampler_server/service/grants/plan_holds.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace tributary {
namespace {

using PlanPtr = std::shared_ptr<const SamplingPlan>;

// A plan of at least `bytes`, most of them tables.
PlanPtr PlanOf(uint64_t bytes) {
  auto plan = std::make_shared<SamplingPlan>();
  plan->shared_bytes = bytes;
  return plan;
}

class PlanHoldsTest : public ::testing::Test {
 protected:
  const std::shared_ptr<SharedBudget> budget_ =
      SharedBudget::Create("plan budget", 1'000'000);
  PlanHolds holds_{budget_};
};

TEST_F(PlanHoldsTest, APlanCountsOnceUntilTheLastCreditLetsGo) {
  const PlanPtr plan = PlanOf(100'000);
  auto first = holds_.Hold(plan, "a");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->get(), plan.get());
  EXPECT_EQ(budget_->used(), plan->bytes());
  auto second = holds_.Hold(plan, "b");
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(budget_->used(), plan->bytes());
  *first = nullptr;
  EXPECT_EQ(budget_->used(), plan->bytes());
  *second = nullptr;
  EXPECT_EQ(budget_->used(), 0u);
  EXPECT_TRUE(holds_.Hold(plan, "a").ok());
}

TEST_F(PlanHoldsTest, ACallerThatKeepsManyPlansIsRefusedAlone) {
  std::vector<PlanPtr> kept;
  while (true) {
    auto plan = holds_.Hold(PlanOf(50'000), "many");
    if (!plan.ok()) {
      EXPECT_TRUE(absl::IsResourceExhausted(plan.status()));
      break;
    }
    kept.push_back(*std::move(plan));
  }
  EXPECT_LE(budget_->used(), 500'000u);
  EXPECT_TRUE(holds_.Hold(PlanOf(50'000), "other").ok());
}

TEST_F(PlanHoldsTest, APlanBeyondTheBudgetIsRefusedForGood) {
  EXPECT_TRUE(
      absl::IsInvalidArgument(holds_.Hold(PlanOf(1'000'000), "a").status()));
}

}  // namespace
}  // namespace tributary
