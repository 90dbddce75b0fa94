// A trainer that takes nothing while another waits for the memory that it
// holds.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/testing/fleet_fixture.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Memory for one batch that is being made, and not for another's room beside
// it: the second trainer waits until the first has taken its batch.
class StalledReaderTest : public FleetFixture {
 protected:
  StalledReaderTest() {
    fleet_.Add({.opened = StarGraph({})});
    SimServer& server = *fleet_.servers[0];
    session_ = StarSession(server);
    first_ = ScriptedTrainer::Connect(fleet_.network.TransportOf(node_),
                                      server.address);
    second_ = Connect(fleet_);
    first_->Open(session_, "first");
    second_->Open(session_, "second");
    ByteBudget& budget = server.service->budget();
    first_->Ask(session_, 0, 8192);
    Await(fleet_, *first_, 1);
    // It was one batch's alone, and is what the hog leaves.
    hog_ = budget.TryReserve(budget.limit() - budget.peak()).value();
  }

  // The second's batch waits while the first takes nothing for so long.
  void StopFirstFor(absl::Duration time) {
    first_->Ask(session_, 1, 8192, 60000);
    fleet_.world.RunUntil(
        [this] { return fleet_.servers[0]->service->active() > 0; },
        absl::Seconds(1));
    fleet_.world.Freeze(node_->node());
    RunFor(fleet_, absl::Milliseconds(10));
    second_->Ask(session_, 0, 8192, 60000);
    RunFor(fleet_, absl::Milliseconds(100));
    EXPECT_EQ(second_->answer(0), "");
    RunFor(fleet_, time);
    fleet_.world.Thaw(node_->node());
    Await(fleet_, *second_, 1);
    EXPECT_THAT(second_->answer(0), StartsWith("ready "));
    RunFor(fleet_, absl::Seconds(1));
  }

  SimFleet fleet_{3};
  SimExecutor* const node_ = fleet_.world.AddNode("first");
  TrainerSession session_;
  std::shared_ptr<ScriptedTrainer> first_;
  std::shared_ptr<ScriptedTrainer> second_;
  Reservation hog_;
};

TEST_F(StalledReaderTest, IsSentAwayWhenItTakesNothingForLong) {
  StopFirstFor(absl::Seconds(3));
  EXPECT_TRUE(first_->closed());
  EXPECT_EQ(first_->why_closed().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(first_->why_closed().message()),
              HasSubstr("while others wait for the memory"));
}

TEST_F(StalledReaderTest, IsWaitedForAShortTime) {
  StopFirstFor(absl::Seconds(1));
  EXPECT_FALSE(first_->closed());
  EXPECT_THAT(first_->answer(1), StartsWith("ready "));
}

TEST_F(StalledReaderTest, OnlyTimeInWhichThereWasSomethingToTakeCounts) {
  RunFor(fleet_, absl::Minutes(1));
  StopFirstFor(absl::Seconds(1));
  EXPECT_FALSE(first_->closed());
  EXPECT_THAT(first_->answer(1), StartsWith("ready "));
}

TEST_F(StalledReaderTest, IsWaitedForWhileNobodyElseWantsMemory) {
  first_->Ask(session_, 1, 8192, 60000);
  fleet_.world.RunUntil(
      [this] { return fleet_.servers[0]->service->active() > 0; },
      absl::Seconds(1));
  fleet_.world.Freeze(node_->node());
  RunFor(fleet_, absl::Minutes(1));
  fleet_.world.Thaw(node_->node());
  Await(fleet_, *first_, 2);
  EXPECT_FALSE(first_->closed());
  EXPECT_THAT(first_->answer(1), StartsWith("ready "));
}

}  // namespace
}  // namespace tributary
