#include "sampler_server/service/admission.h"

#include <string>
#include <vector>

#include "common/testing/sim_scheduler.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AdmissionTest : public testing::Test {
 protected:
  AdmissionTest() { Configure({.running = 2, .running_per_stream = 2}); }

  void Configure(const AdmissionLimits& limits) {
    admission_ = std::make_shared<Admission>(limits, budget_, executor_);
  }

  absl::StatusOr<Admission::JobId> Enqueue(const std::string& name,
                                           size_t bytes, uint64_t stream = 1) {
    Admission::Job job;
    job.client = "client";
    job.stream = stream;
    job.queued_bytes = 10;
    job.reserve_bytes = bytes;
    job.start = [this, name](Reservation reservation) {
      started_.push_back(name);
      reservations_.push_back(std::move(reservation));
    };
    return admission_->Enqueue(std::move(job));
  }

  std::vector<std::string> Run() {
    EXPECT_TRUE(world_.Drain(1000));
    return std::exchange(started_, {});
  }

  SimScheduler world_{7};
  SimExecutor* executor_ = world_.AddNode("server");
  std::shared_ptr<ByteBudget> budget_ =
      ByteBudget::Create("--memory-budget", 100);
  std::shared_ptr<Admission> admission_;
  std::vector<std::string> started_;
  std::vector<Reservation> reservations_;
};

TEST_F(AdmissionTest, StartsSoManyAtOnceAndTheNextWhenOneHasEnded) {
  const auto a = Enqueue("a", 10).value();
  Enqueue("b", 10).value();
  Enqueue("c", 10).value();
  EXPECT_THAT(Run(), ElementsAre("a", "b"));
  EXPECT_EQ(admission_->num_running(), 2);
  EXPECT_EQ(admission_->num_queued(), 1u);
  admission_->Finish(a);
  EXPECT_THAT(Run(), ElementsAre("c"));
  EXPECT_EQ(budget_->used(), 30u);
}

TEST_F(AdmissionTest, WhatIsMadeAndNotSentCountsForItsStreamOnly) {
  Configure({.running = 2, .running_per_stream = 2});
  const auto a = Enqueue("a", 10).value();
  const auto b = Enqueue("b", 10).value();
  Enqueue("c", 10).value();
  Enqueue("other", 10, 2).value();
  EXPECT_THAT(Run(), ElementsAre("a", "b"));
  admission_->Made(a);
  admission_->Made(a);
  EXPECT_EQ(admission_->num_running(), 1);
  EXPECT_THAT(Run(), ElementsAre("other"));
  admission_->Made(b);
  EXPECT_THAT(Run(), IsEmpty());
  admission_->Finish(a);
  EXPECT_THAT(Run(), ElementsAre("c"));
  EXPECT_EQ(admission_->num_running(), 2);
}

TEST_F(AdmissionTest, ALargeJobIsNotOvertakenBySmallOnes) {
  Configure({.running = 9, .running_per_stream = 9});
  Enqueue("half", 50).value();
  EXPECT_THAT(Run(), ElementsAre("half"));
  Enqueue("large", 80).value();
  Enqueue("small", 1).value();
  EXPECT_THAT(Run(), IsEmpty());
  reservations_.clear();
  EXPECT_THAT(Run(), ElementsAre("large", "small"));
}

TEST_F(AdmissionTest, AStreamAtItsLimitLetsOthersPass) {
  Configure({.running = 9, .running_per_stream = 1});
  Enqueue("a1", 1, 1).value();
  Enqueue("a2", 1, 1).value();
  Enqueue("b1", 1, 2).value();
  EXPECT_THAT(Run(), ElementsAre("a1", "b1"));
}

TEST_F(AdmissionTest, RefusesWhatNeverFitsAndNamesTheOption) {
  const auto refused = Enqueue("huge", 101);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("--memory-budget"));
}

TEST_F(AdmissionTest, RefusesMoreCreditsOrBytesThanMayWait) {
  Configure({.running = 1, .queued = 2, .queued_bytes = 100});
  Enqueue("a", 100).value();
  Enqueue("b", 100).value();
  EXPECT_EQ(Enqueue("c", 1).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Run(), ElementsAre("a"));  // now one waits
  Configure({.running = 1, .queued = 99, .queued_bytes = 15});
  Enqueue("d", 1).value();
  EXPECT_EQ(Enqueue("e", 1).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST_F(AdmissionTest, ACancelledJobNeverStartsAndHoldsNothing) {
  Enqueue("first", 100).value();
  Run();
  const auto picked = Enqueue("picked", 100).value();  // waits for the budget
  const auto queued = Enqueue("queued", 100).value();
  Enqueue("last", 100).value();
  Run();
  EXPECT_TRUE(admission_->Cancel(queued));
  EXPECT_TRUE(admission_->Cancel(picked));
  EXPECT_FALSE(admission_->Cancel(picked));
  reservations_.clear();
  EXPECT_THAT(Run(), ElementsAre("last"));
  reservations_.clear();
  EXPECT_EQ(budget_->used(), 0u);
}

TEST_F(AdmissionTest, ACancelThatMeetsTheGrantOnItsWayGivesItBack) {
  const auto a = Enqueue("a", 60).value();  // granted, but not yet told
  EXPECT_TRUE(admission_->Cancel(a));
  Enqueue("b", 60).value();
  EXPECT_THAT(Run(), ElementsAre("b"));
  EXPECT_EQ(budget_->used(), 60u);
}

TEST_F(AdmissionTest, AStartedJobCannotBeCancelled) {
  const auto a = Enqueue("a", 1).value();
  Run();
  EXPECT_FALSE(admission_->Cancel(a));
}

}  // namespace
}  // namespace tributary
