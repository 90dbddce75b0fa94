#include "common/testing/sim_scheduler.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;

TEST(SimScheduler, RunsInOrderOfVirtualTime) {
  SimScheduler world(1);
  SimExecutor* node = world.AddNode("a");
  std::vector<std::string> log;
  const absl::Time start = node->Now();
  node->PostAt(start + absl::Seconds(2), [&] { log.push_back("two"); });
  node->PostAt(start + absl::Seconds(1), [&] {
    log.push_back("one");
    node->PostAfter(absl::Milliseconds(500), [&] { log.push_back("half"); });
  });
  EXPECT_TRUE(world.Drain(100));
  EXPECT_THAT(log, ElementsAre("one", "half", "two"));
  EXPECT_GE(node->Now(), start + absl::Seconds(2));
}

TEST(SimScheduler, SameSeedSameOrderOtherSeedOther) {
  auto order = [](uint64_t seed) {
    SimScheduler world(seed);
    SimExecutor* node = world.AddNode("a");
    std::string log;
    for (char c = 'a'; c <= 'z'; ++c) node->Post([&log, c] { log += c; });
    EXPECT_TRUE(world.Drain(100));
    return log;
  };
  EXPECT_EQ(order(7), order(7));
  EXPECT_NE(order(7), order(8));
}

TEST(SimScheduler, StrandKeepsOrderWhateverTheSeed) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SimScheduler world(seed);
    auto strand = std::make_shared<Strand>(world.AddNode("a"));
    std::string log;
    for (char c = 'a'; c <= 'e'; ++c) strand->Post([&log, c] { log += c; });
    EXPECT_TRUE(world.Drain(100));
    EXPECT_EQ(log, "abcde");
  }
}

TEST(SimScheduler, CrashDropsTheNodesEventsOnly) {
  SimScheduler world(3);
  SimExecutor* a = world.AddNode("a");
  SimExecutor* b = world.AddNode("b");
  int ran_a = 0, ran_b = 0;
  auto owned = std::make_shared<int>(5);
  a->PostAfter(absl::Seconds(1), [&ran_a, owned] { ++ran_a; });
  b->PostAfter(absl::Seconds(1), [&ran_b] { ++ran_b; });
  world.Crash(a->node());
  a->Post([&ran_a] { ++ran_a; });
  EXPECT_TRUE(world.Drain(100));
  EXPECT_EQ(ran_a, 0);
  EXPECT_EQ(ran_b, 1);
  EXPECT_EQ(owned.use_count(), 1) << "captured state was not destroyed";
}

TEST(SimScheduler, CrashLetsGoOfWhatAStrandHad) {
  SimScheduler world(8);
  SimExecutor* node = world.AddNode("a");
  auto strand = std::make_shared<Strand>(node);
  const std::weak_ptr<Strand> watch = strand;
  strand->Post([strand] {});
  strand->Post([strand] {});
  strand.reset();
  world.Crash(node->node());
  EXPECT_FALSE(world.Step());
  EXPECT_TRUE(watch.expired());
}

TEST(SimScheduler, FrozenNodesWorkWaitsForTheThaw) {
  SimScheduler world(4);
  SimExecutor* a = world.AddNode("a");
  SimExecutor* b = world.AddNode("b");
  std::vector<std::string> log;
  world.Freeze(a->node());
  a->PostAfter(absl::Seconds(1), [&] { log.push_back("a"); });
  b->PostAfter(absl::Seconds(5), [&] {
    log.push_back("b");
    world.Thaw(a->node());
  });
  EXPECT_TRUE(world.Drain(100));
  EXPECT_THAT(log, ElementsAre("b", "a"));
}

TEST(SimScheduler, DriftingClockFiresWhenItsOwnTimeSaysSo) {
  SimScheduler world(5);
  SimExecutor* fast = world.AddNode("fast", 1.5);
  const absl::Time start = fast->Now();
  const absl::Time world_start = world.now();
  absl::Time seen;
  fast->PostAt(start + absl::Seconds(3), [&] { seen = fast->Now(); });
  EXPECT_TRUE(world.Drain(10));
  EXPECT_GE(seen, start + absl::Seconds(3));
  EXPECT_LT(world.now() - world_start, absl::Seconds(2.1));
}

TEST(SimScheduler, CancelledTimerNeverRuns) {
  SimScheduler world(6);
  SimExecutor* node = world.AddNode("a");
  int ran = 0;
  const TimerId id = node->PostAfter(absl::Seconds(1), [&] { ++ran; });
  EXPECT_TRUE(node->CancelTimer(id));
  EXPECT_FALSE(node->CancelTimer(id));
  EXPECT_TRUE(world.Drain(10));
  EXPECT_EQ(ran, 0);
}

}  // namespace
}  // namespace tributary
