#include "sampler_server/service/farewells.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/testing/sim_scheduler.h"

namespace tributary {
namespace {

class FarewellsTest : public ::testing::Test {
 protected:
  void Expect(uint32_t num_clients) {
    farewells_ = std::make_shared<Farewells>(
        num_clients, [this] { ++gone_; }, node_);
  }
  bool Say(const CallerPtr& caller, const std::string& job, uint32_t rank,
           uint32_t of) {
    const bool said = farewells_->Record(*caller, job, rank, of).ok();
    farewells_->NotifyIfAllGone();
    return said;
  }
  void RunFor(absl::Duration time) {
    bool over = false;
    world_.Schedule(-1, world_.now() + time, [&over] { over = true; });
    world_.RunUntil([&over] { return over; }, 2 * time);
  }

  SimScheduler world_{1};
  SimExecutor* const node_ = world_.AddNode("server");
  int gone_ = 0;
  std::shared_ptr<Farewells> farewells_;
  const CallerPtr a_ = MakeCaller("10.0.0.1:1");
  const CallerPtr b_ = MakeCaller("10.0.0.2:1");
};

TEST_F(FarewellsTest, TheLastOneOfAllIsTold) {
  Expect(3);
  EXPECT_TRUE(Say(a_, "j", 2, 3));
  EXPECT_TRUE(Say(a_, "j", 0, 3));
  EXPECT_TRUE(Say(a_, "j", 2, 3));  // once more
  EXPECT_EQ(gone_, 0);
  EXPECT_TRUE(farewells_->Record(*b_, "j", 1, 3).ok());
  EXPECT_EQ(gone_, 0);
  farewells_->NotifyIfAllGone();
  EXPECT_EQ(gone_, 1);
  EXPECT_TRUE(Say(a_, "j", 1, 3));
  EXPECT_EQ(gone_, 1);
}

TEST_F(FarewellsTest, RanksOfDifferentJobsDoNotAddUp) {
  Expect(2);
  EXPECT_TRUE(Say(a_, "j", 0, 2));
  EXPECT_TRUE(Say(a_, "k", 1, 2));
  EXPECT_EQ(gone_, 0);
  EXPECT_TRUE(Say(b_, "k", 0, 2));
  EXPECT_EQ(gone_, 1);
}

TEST_F(FarewellsTest, ACallerThatIsThereIsWaitedFor) {
  Expect(1);
  auto stream = farewells_->CountStream(*b_);
  auto other = farewells_->CountStream(*b_);
  EXPECT_TRUE(Say(a_, "j", 0, 1));
  stream.reset();
  RunFor(absl::Minutes(1));
  EXPECT_EQ(gone_, 0);
  other.reset();
  RunFor(absl::Seconds(5));
  EXPECT_EQ(gone_, 0);
  stream = farewells_->CountStream(*b_);  // it has connected again
  RunFor(absl::Minutes(1));
  EXPECT_EQ(gone_, 0);
  stream.reset();
  RunFor(absl::Seconds(11));
  EXPECT_EQ(gone_, 1);
}

TEST_F(FarewellsTest, ACallerThatHasSaidItIsNotWaitedFor) {
  Expect(2);
  const auto a = farewells_->CountStream(*a_);
  auto b = farewells_->CountStream(*b_);
  EXPECT_TRUE(Say(a_, "j", 0, 2));
  b.reset();
  EXPECT_TRUE(Say(b_, "j", 1, 2));
  EXPECT_EQ(gone_, 1);
}

TEST_F(FarewellsTest, ACallerIsWaitedForUntilItsOwnJobHasGone) {
  Expect(2);
  const auto a = farewells_->CountStream(*a_);
  EXPECT_TRUE(Say(b_, "k", 0, 2));
  EXPECT_TRUE(Say(b_, "k", 1, 2));
  EXPECT_TRUE(Say(a_, "j", 0, 2));
  RunFor(absl::Minutes(1));
  EXPECT_EQ(gone_, 0);
  EXPECT_TRUE(Say(a_, "j", 1, 2));
  EXPECT_EQ(gone_, 1);
}

TEST_F(FarewellsTest, OthersThanThoseWaitedForAreRefused) {
  Expect(2);
  for (const auto& [rank, of] : {std::pair{2u, 2u}, {0u, 1u}, {0u, 0u}}) {
    const absl::Status status = farewells_->Record(*a_, "j", rank, of);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(),
              absl::StrCat("client ", rank, " of ", of,
                           " says farewell; this server was started with "
                           "--num-clients 2; allowed: clients 0 to 1 of 2"));
  }
}

TEST_F(FarewellsTest, OnlyTrainersAndAnonymousCallersCount) {
  Expect(1);
  for (const Role role : {Role::kOperator, Role::kSampler}) {
    const auto caller = MakeCaller("10.0.0.1:1", Identity{role, "x"});
    EXPECT_EQ(farewells_->Record(*caller, "j", 0, 1).code(),
              absl::StatusCode::kPermissionDenied);
  }
  EXPECT_TRUE(Say(MakeCaller("h:1", Identity{Role::kTrainer, "j"}), "j", 0, 1));
  EXPECT_EQ(gone_, 1);
}

TEST_F(FarewellsTest, ACallerSaysItForFewJobs) {
  Expect(2);
  size_t jobs = 0;
  while (Say(a_, absl::StrCat("j", jobs), 0, 2)) ++jobs;
  EXPECT_EQ(jobs, Farewells::kMaxJobsPerCaller);
  EXPECT_TRUE(Say(b_, "k", 0, 2));
}

TEST_F(FarewellsTest, NobodyIsWaitedForByDefault) {
  Expect(0);
  EXPECT_EQ(farewells_->CountStream(*a_), nullptr);
  EXPECT_TRUE(Say(a_, "j", 7, 9));
  EXPECT_EQ(gone_, 0);
}

}  // namespace
}  // namespace tributary
