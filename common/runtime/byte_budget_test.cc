#include "common/runtime/byte_budget.h"

#include <string>
#include <vector>

#include "common/testing/sim_scheduler.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ByteBudget, ReservationGivesItsBytesBack) {
  auto budget = ByteBudget::Create("--memory-budget", 100);
  {
    auto a = budget->TryReserve(60);
    ASSERT_TRUE(a.ok());
    EXPECT_EQ(budget->used(), 60);
    a->ShrinkTo(10);
    EXPECT_EQ(budget->used(), 10);
    Reservation moved = *std::move(a);
    EXPECT_EQ(moved.bytes(), 10);
  }
  EXPECT_EQ(budget->used(), 0);
  EXPECT_EQ(budget->peak(), 60);
}

TEST(ByteBudget, FullIsExhaustedAndTooLargeIsInvalid) {
  auto budget = ByteBudget::Create("--memory-budget", 100);
  auto held = budget->TryReserve(50);
  ASSERT_TRUE(held.ok());
  EXPECT_EQ(budget->TryReserve(51).status().code(),
            absl::StatusCode::kResourceExhausted);
  const absl::Status never = budget->TryReserve(101).status();
  EXPECT_EQ(never.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(never.message(), HasSubstr("raise --memory-budget"));
}

TEST(ByteBudget, WaitersAreServedInOrderEvenWhenALaterOneWouldFit) {
  SimScheduler world(1);
  SimExecutor* executor = world.AddNode("server");
  auto budget = ByteBudget::Create("budget", 100);
  auto held = budget->TryReserve(80);
  ASSERT_TRUE(held.ok());
  std::vector<std::string> order;
  std::vector<Reservation> kept;
  auto take = [&](std::string name) {
    return [&order, &kept, name](Reservation r) {
      order.push_back(name);
      kept.push_back(std::move(r));
    };
  };
  ASSERT_TRUE(budget->Reserve(50, executor, take("large")).ok());
  ASSERT_TRUE(budget->Reserve(10, executor, take("small")).ok());
  ASSERT_TRUE(world.Drain(10));
  EXPECT_THAT(order, ElementsAre()) << "the small one overtook the large one";
  EXPECT_EQ(budget->TryReserve(1).status().code(),
            absl::StatusCode::kResourceExhausted);
  held->Release();
  ASSERT_TRUE(world.Drain(10));
  EXPECT_THAT(order, testing::UnorderedElementsAre("large", "small"));
  EXPECT_EQ(budget->used(), 60);
}

TEST(ByteBudget, CancelledWaiterLetsThoseBehindItPass) {
  SimScheduler world(2);
  SimExecutor* executor = world.AddNode("server");
  auto budget = ByteBudget::Create("budget", 100);
  auto held = budget->TryReserve(80);
  ASSERT_TRUE(held.ok());
  bool large = false, small = false;
  auto id = budget->Reserve(50, executor, [&](Reservation) { large = true; });
  ASSERT_TRUE(id.ok());
  ASSERT_TRUE(
      budget->Reserve(10, executor, [&](Reservation) { small = true; }).ok());
  EXPECT_TRUE(budget->Cancel(*id));
  EXPECT_FALSE(budget->Cancel(*id));
  ASSERT_TRUE(world.Drain(10));
  EXPECT_FALSE(large);
  EXPECT_TRUE(small);
  EXPECT_EQ(budget->used(), 80);
}

TEST(ByteBudget, GrantToACrashedNodeComesBack) {
  SimScheduler world(3);
  SimExecutor* executor = world.AddNode("server");
  auto budget = ByteBudget::Create("budget", 100);
  auto held = budget->TryReserve(100);
  ASSERT_TRUE(held.ok());
  ASSERT_TRUE(budget->Reserve(40, executor, [](Reservation) {}).ok());
  held->Release();
  EXPECT_EQ(budget->used(), 40);
  world.Crash(executor->node());
  EXPECT_FALSE(world.Step());
  EXPECT_EQ(budget->used(), 0);
}

}  // namespace
}  // namespace tributary
