#include "sampler_server/jobs/admission.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
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

  // "a1" is of job a and of stream `stream`; each job has a caller of its own,
  // unless another one is given.
  absl::StatusOr<Admission::BatchId> Enqueue(const std::string& name,
                                             size_t bytes, uint64_t stream = 1,
                                             const std::string& caller = "") {
    Admission::Batch batch;
    batch.job = name.substr(0, 1);
    batch.caller = caller.empty() ? batch.job : caller;
    batch.stream = stream;
    batch.queued_bytes = 10;
    batch.reserve_bytes = bytes;
    batch.start = [this, name](Reservation reservation) {
      started_.push_back(name);
      reservations_[name] = std::move(reservation);
    };
    return admission_->Enqueue(std::move(batch));
  }

  std::vector<std::string> Run() {
    EXPECT_TRUE(world_.Drain(1000));
    return std::exchange(started_, {});
  }

  // A batch is made, and waits for its reader.
  void Make(const std::string& name, Admission::BatchId id, size_t unread) {
    reservations_[name].ShrinkTo(unread);
    admission_->MarkMade(id, {.bytes = unread, .unread = unread});
  }
  void Read(const std::string& name, Admission::BatchId id) {
    reservations_.erase(name);
    admission_->Finish(id);
  }

  SimScheduler world_{7};
  SimExecutor* executor_ = world_.AddNode("server");
  std::shared_ptr<ByteBudget> budget_ =
      ByteBudget::Create("--memory-budget", 100);
  std::shared_ptr<Admission> admission_;
  std::vector<std::string> started_;
  std::map<std::string, Reservation> reservations_;
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

TEST_F(AdmissionTest, MoreRunAtOnceOnceRowsAreReadFromFiles) {
  Configure({.running = 3, .running_per_stream = 2, .file_read_factor = 2});
  for (const char* name : {"a1", "a2", "a3", "a4", "a5"}) {
    Enqueue(name, 10).value();
  }
  for (const char* name : {"b1", "b2", "b3"}) Enqueue(name, 10, 2).value();
  EXPECT_EQ(Run().size(), 3u);
  admission_->ExpectFileReads();
  EXPECT_EQ(Run().size(), 3u);
  EXPECT_EQ(admission_->num_running(), 6);
  EXPECT_EQ(admission_->num_queued(), 2u);
}

TEST_F(AdmissionTest, WhatIsMadeAndNotSentCountsForItsStreamOnly) {
  Configure({.running = 2, .running_per_stream = 2});
  const auto a = Enqueue("a1", 10).value();
  const auto b = Enqueue("a2", 10).value();
  Enqueue("a3", 10).value();
  Enqueue("other", 10, 2).value();
  EXPECT_THAT(Run(), ElementsAre("a1", "other"));
  admission_->MarkMade(a, {});
  admission_->MarkMade(a, {});
  EXPECT_EQ(admission_->num_running(), 1);
  EXPECT_THAT(Run(), ElementsAre("a2"));
  admission_->MarkMade(b, {});
  EXPECT_THAT(Run(), IsEmpty());
  admission_->Finish(a);
  EXPECT_THAT(Run(), ElementsAre("a3"));
  EXPECT_EQ(admission_->num_running(), 2);
}

TEST_F(AdmissionTest, WhoWaitsForAPeerLetsAnotherCompute) {
  Configure({.running = 3, .computing = 1, .running_per_stream = 9});
  const auto a = Enqueue("a", 1).value();
  const auto b = Enqueue("b", 1).value();
  const auto c = Enqueue("c", 1).value();
  const auto d = Enqueue("d", 1).value();
  EXPECT_THAT(Run(), ElementsAre("a"));
  admission_->SetWaiting(a, true);
  admission_->SetWaiting(a, true);
  EXPECT_THAT(Run(), ElementsAre("b"));
  admission_->SetWaiting(b, true);
  EXPECT_THAT(Run(), ElementsAre("c"));
  admission_->SetWaiting(a, false);
  admission_->MarkMade(a, {});  // c computes, and of three one is over
  EXPECT_THAT(Run(), IsEmpty());
  admission_->MarkMade(b, {});
  EXPECT_THAT(Run(), IsEmpty());     // b was counted off when it began to wait
  admission_->SetWaiting(b, false);  // said too late, counts no more
  EXPECT_EQ(admission_->num_running(), 1);
  admission_->MarkMade(c, {});
  EXPECT_THAT(Run(), ElementsAre("d"));
  Enqueue("e", 1).value();
  EXPECT_THAT(Run(), IsEmpty());
  admission_->MarkMade(d, {});
  EXPECT_THAT(Run(), ElementsAre("e"));
}

// A cancelled task ends without having made anything.
TEST_F(AdmissionTest, ATaskThatEndsWhileItWaitsIsCountedOffOnce) {
  Configure({.running = 9, .computing = 1, .running_per_stream = 9});
  const auto a = Enqueue("a", 1).value();
  const auto b = Enqueue("b", 1).value();
  Enqueue("c", 1).value();
  EXPECT_THAT(Run(), ElementsAre("a"));
  admission_->SetWaiting(a, true);
  EXPECT_THAT(Run(), ElementsAre("b"));
  admission_->Finish(a);
  EXPECT_THAT(Run(), IsEmpty());  // b computes still
  admission_->Finish(b);
  EXPECT_THAT(Run(), ElementsAre("c"));
}

TEST_F(AdmissionTest, ALargeBatchIsNotOvertakenBySmallOnes) {
  Configure({.running = 9, .running_per_stream = 9});
  Enqueue("half", 50).value();
  EXPECT_THAT(Run(), ElementsAre("half"));
  Enqueue("large", 80).value();
  EXPECT_THAT(Run(), IsEmpty());
  Enqueue("small", 1).value();
  EXPECT_THAT(Run(), IsEmpty());
  reservations_.clear();
  EXPECT_THAT(Run(), ElementsAre("large", "small"));
}

TEST_F(AdmissionTest, AStreamAtItsLimitLetsOthersPass) {
  Configure({.running = 9, .running_per_stream = 1});
  Enqueue("a1", 1, 1).value();
  Enqueue("a2", 1, 1).value();
  Enqueue("a3", 1, 2).value();
  EXPECT_THAT(Run(), ElementsAre("a1", "a3"));
}

// Of 100 bytes one job's unread batches take 50; another's then find 50, and
// take 25; a third's find 25, and take 12.
TEST_F(AdmissionTest, WhatOthersHaveNotReadLeavesHalfOfTheRest) {
  Configure({.running = 99, .running_per_stream = 99});
  const auto fill = [this](const std::string& job) {
    for (int i = 0; i < 99; ++i) {
      const std::string name = absl::StrCat(job, i);
      const auto id = Enqueue(name, 2).value();  // a room of one byte
      if (Run().empty()) break;
      Make(name, id, 1);
    }
  };
  fill("a");
  EXPECT_EQ(budget_->used(), 50u);
  fill("b");
  EXPECT_EQ(budget_->used(), 75u);
  fill("c");
  EXPECT_EQ(budget_->used(), 87u);
}

TEST_F(AdmissionTest, WhatIsReadMakesRoomForTheSameJob) {
  Configure({.running = 9, .running_per_stream = 9});
  const auto a1 = Enqueue("a1", 60).value();
  Run();
  Make("a1", a1, 30);
  Enqueue("a2", 60).value();
  EXPECT_THAT(Run(), IsEmpty());  // with 30 + 30 of 100 it would leave 40
  Read("a1", a1);
  EXPECT_THAT(Run(), ElementsAre("a2"));
}

TEST_F(AdmissionTest, OneJobAloneMayFillTheBudgetWithWhatItMakes) {
  Configure({.running = 99, .computing = 99, .running_per_stream = 99});
  for (int i = 0; i < 12; ++i) Enqueue(absl::StrCat("a", i), 10).value();
  EXPECT_EQ(Run().size(), 10u);
  EXPECT_EQ(budget_->used(), 100u);
}

TEST_F(AdmissionTest, ABatchLargerThanAnyShareIsMade) {
  Configure({.running = 9, .running_per_stream = 9});
  Enqueue("a", 100).value();
  EXPECT_THAT(Run(), ElementsAre("a"));
}

TEST_F(AdmissionTest, AJobsOwnLargeBatchWaitsForItsOthersAlone) {
  Configure({.running = 9, .running_per_stream = 9});
  const auto a1 = Enqueue("a1", 20).value();
  Run();
  Make("a1", a1, 10);
  Enqueue("a2", 90, 2).value();
  Enqueue("a3", 2, 3).value();
  Enqueue("b1", 2, 4).value();
  EXPECT_THAT(Run(), ElementsAre("b1"));  // a3 would keep a2 waiting for ever
  Read("a1", a1);
  EXPECT_THAT(Run(), ElementsAre("a2", "a3"));
}

// a is listed. All others together take no more of 100 than they leave: b takes
// 50, c its one batch, where it could have 10 more by itself. Of the 40 that
// are left a takes 20.
TEST_F(AdmissionTest, JobsThatAreNotListedKeepToOneShareTogether) {
  Configure({.running = 99,
             .running_per_stream = 99,
             .weights = JobWeights::Parse("a=1,*=1").value()});
  const auto fill = [this](const std::string& job) {
    for (int i = 0; i < 10; ++i) {
      const std::string name = absl::StrCat(job, i);
      const auto id = Enqueue(name, 20).value();
      if (Run().empty()) return i;
      Make(name, id, 10);
    }
    return 10;
  };
  EXPECT_EQ(fill("b"), 5);
  EXPECT_EQ(fill("c"), 1);
  EXPECT_EQ(fill("a"), 2);
}

TEST_F(AdmissionTest, WeightsDecideWhoseTurnItIs) {
  Configure({.running = 1,
             .running_per_stream = 9,
             .weights = JobWeights::Parse("a=3,b=1").value()});
  std::map<std::string, Admission::BatchId> ids;
  for (int i = 0; i < 40; ++i) {
    const std::string a = absl::StrCat("a", i), b = absl::StrCat("b", i);
    ids[a] = Enqueue(a, 1, 1).value();
    ids[b] = Enqueue(b, 1, 2).value();
  }
  int of_a = 0;
  for (int i = 0; i < 40; ++i) {
    const std::vector<std::string> started = Run();
    ASSERT_EQ(started.size(), 1u);
    of_a += started[0][0] == 'a' ? 1 : 0;
    // A millisecond and a million bytes cost the same.
    admission_->MarkMade(ids[started[0]],
                         i % 2 == 0 ? BatchCost{.cpu = absl::Milliseconds(1)}
                                    : BatchCost{.bytes = 1'000'000});
    admission_->Finish(ids[started[0]]);
  }
  EXPECT_EQ(of_a, 30);
}

// Jobs a and b are level, so that the turn is a's unless it was charged.
TEST_F(AdmissionTest, ABatchThatIsNotMadeCostsItsJobNothing) {
  Configure({.running = 1, .running_per_stream = 9});
  const auto a1 = Enqueue("a1", 1).value();
  EXPECT_THAT(Run(), ElementsAre("a1"));
  Enqueue("b1", 1, 2).value();
  Enqueue("a2", 1).value();
  admission_->Finish(a1);
  EXPECT_THAT(Run(), ElementsAre("a2"));
}

TEST_F(AdmissionTest, ABatchThatIsCancelledWhileItWaitsForMemoryCostsNothing) {
  Configure({.running = 9, .running_per_stream = 9});
  Enqueue("first", 100).value();
  EXPECT_THAT(Run(), ElementsAre("first"));
  const auto a1 = Enqueue("a1", 100).value();
  Run();
  Enqueue("b1", 100, 2).value();
  Enqueue("a2", 100).value();
  EXPECT_TRUE(admission_->Cancel(a1));
  reservations_.clear();
  EXPECT_THAT(Run(), ElementsAre("a2"));
}

TEST_F(AdmissionTest, IsPacedByTheBytesItMakes) {
  Configure(
      {.running = 1, .running_per_stream = 9, .bytes_per_second = 1'000'000});
  const absl::Time from = executor_->Now();
  for (int i = 0; i < 300; ++i) {
    const std::string name = absl::StrCat("a", i);
    const auto id = Enqueue(name, 1).value();
    world_.RunUntil([this] { return !started_.empty(); }, absl::Seconds(1));
    EXPECT_THAT(Run(), ElementsAre(name));
    admission_->MarkMade(id, {.bytes = 1000});  // 1 ms at this rate
    Read(name, id);
  }
  EXPECT_GE(admission_->rate_time(), absl::Milliseconds(298));
  EXPECT_LE(admission_->rate_time(), absl::Milliseconds(300));
  // 300 ms, of which 100 may be made up for what was not made before.
  EXPECT_GE(executor_->Now() - from, absl::Milliseconds(198));
  EXPECT_LE(executor_->Now() - from, absl::Milliseconds(201));
}

// At this rate a batch of 100,000 bytes takes 100 ms. Until a batch is made it
// is taken to be as large as the latest one that was.
TEST_F(AdmissionTest, ABatchThatIsNotMadeTakesNoneOfTheRate) {
  Configure({.running = 9,
             .computing = 9,
             .running_per_stream = 99,
             .bytes_per_second = 1'000'000});
  const auto made = Enqueue("a", 1).value();
  EXPECT_THAT(Run(), ElementsAre("a"));
  admission_->MarkMade(made, {.bytes = 100'000});
  const absl::Time from = executor_->Now();
  for (int i = 0; i < 5; ++i) {
    const auto cancelled = Enqueue("b", 1).value();
    EXPECT_THAT(Run(), ElementsAre("b"));
    admission_->Finish(cancelled);
    const auto too_large = Enqueue("c", 1).value();
    EXPECT_THAT(Run(), ElementsAre("c"));
    admission_->MarkMade(too_large, {.cpu = absl::Milliseconds(1)});
  }
  EXPECT_LT(executor_->Now() - from, absl::Milliseconds(1));
  Enqueue("d", 1).value();
  Enqueue("e", 1).value();
  EXPECT_THAT(Run(), ElementsAre("d", "e"));
  EXPECT_GE(executor_->Now() - from, absl::Milliseconds(100));
}

// Of a second of the rate, then of half of it: until it is made the second one
// is taken to be as large as the first, and the third waits for its true end.
TEST_F(AdmissionTest, ABatchSmallerThanTheLatestHoldsTheNextForItsOwnTime) {
  Configure({.running = 9,
             .computing = 9,
             .running_per_stream = 9,
             .bytes_per_second = 1'000'000});
  const auto large = Enqueue("a", 1).value();
  EXPECT_THAT(Run(), ElementsAre("a"));
  admission_->MarkMade(large, {.bytes = 1'000'000});
  const auto small = Enqueue("b", 1).value();
  Enqueue("c", 1).value();
  world_.RunUntil([this] { return !started_.empty(); }, absl::Seconds(2));
  EXPECT_THAT(std::exchange(started_, {}), ElementsAre("b"));
  const absl::Time from = executor_->Now();
  admission_->MarkMade(small, {.bytes = 500'000});
  world_.RunUntil([this] { return !started_.empty(); }, absl::Seconds(2));
  EXPECT_THAT(std::exchange(started_, {}), ElementsAre("c"));
  EXPECT_GE(executor_->Now() - from, absl::Milliseconds(499));
  EXPECT_LE(executor_->Now() - from, absl::Milliseconds(501));
}

// Batches of 10 ms of the rate: one each 40 ms, then as many as it allows.
TEST_F(AdmissionTest, TheRateIsInUseForTheShareThatIsAskedFor) {
  Configure(
      {.running = 1, .running_per_stream = 9, .bytes_per_second = 1'000'000});
  const auto make = [this] {
    const auto id = Enqueue("a", 1).value();
    world_.RunUntil([this] { return !started_.empty(); }, absl::Seconds(1));
    EXPECT_THAT(Run(), ElementsAre("a"));
    admission_->MarkMade(id, {.bytes = 10'000});
    Read("a", id);
  };
  const auto pass = [this](absl::Duration time) {
    bool due = false;
    world_.Schedule(-1, world_.now() + time, [&due] { due = true; });
    world_.RunUntil([&due] { return due; }, absl::Seconds(1));
  };
  EXPECT_EQ(admission_->rate_time(), absl::ZeroDuration());
  for (int i = 0; i < 50; ++i) {
    make();
    pass(absl::Milliseconds(40));
  }
  EXPECT_NEAR(absl::ToDoubleSeconds(admission_->rate_time()), 0.5, 1e-3);
  for (int i = 0; i < 20; ++i) make();  // the first 100 ms are made up for
  const absl::Duration before = admission_->rate_time();
  const absl::Time from = executor_->Now();
  for (int i = 0; i < 50; ++i) make();
  EXPECT_NEAR(absl::FDivDuration(admission_->rate_time() - before,
                                 executor_->Now() - from),
              1, 1e-2);
}

TEST_F(AdmissionTest, SaysSinceWhenABatchHasWaitedForMemory) {
  EXPECT_EQ(admission_->memory_wanted_since(), absl::InfiniteFuture());
  Enqueue("a", 100).value();
  Run();
  EXPECT_EQ(admission_->memory_wanted_since(), absl::InfiniteFuture());
  const absl::Time before = executor_->Now();
  Enqueue("b", 100).value();
  EXPECT_EQ(admission_->memory_wanted_since(), before);
  reservations_.clear();
  Run();
  EXPECT_EQ(admission_->memory_wanted_since(), absl::InfiniteFuture());
}

TEST_F(AdmissionTest, TellsWhatJobsHave) {
  Configure({.running = 1, .weights = JobWeights::Parse("b=7").value()});
  const auto a = Enqueue("a", 10).value();
  Enqueue("b", 10).value();
  Run();
  Make("a", a, 4);
  Run();
  const std::vector<JobState> jobs = admission_->Jobs();
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].name, "a");
  EXPECT_EQ(jobs[0].started, 1u);
  EXPECT_EQ(jobs[0].unread_bytes, 4u);
  EXPECT_FALSE(jobs[0].listed);
  EXPECT_EQ(jobs[1].weight, 7u);
  EXPECT_EQ(jobs[1].started, 1u);
  EXPECT_EQ(jobs[1].waiting, 0u);
}

TEST_F(AdmissionTest, WhatIsReadIsUnreadNoLonger) {
  Configure({.running = 9, .running_per_stream = 9});
  const auto a1 = Enqueue("a1", 10).value();
  const auto a2 = Enqueue("a2", 10).value();
  Run();
  Make("a1", a1, 3);
  Make("a2", a2, 4);
  EXPECT_EQ(admission_->Jobs().at(0).unread_bytes, 7u);
  Read("a1", a1);
  EXPECT_EQ(admission_->Jobs().at(0).unread_bytes, 4u);
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

// Each credit has 10 bytes of inputs: three may wait.
TEST_F(AdmissionTest, PlacesInTheQueueAreGivenBack) {
  Configure({.running = 1, .queued = 3, .queued_bytes = 30});
  for (int i = 0; i < 5; ++i) {
    const auto starts = Enqueue("a", 1);
    ASSERT_TRUE(starts.ok()) << starts.status();
    Run();
    const auto waits = Enqueue("b", 1);
    ASSERT_TRUE(waits.ok()) << waits.status();
    EXPECT_TRUE(admission_->Cancel(*waits));
    admission_->Finish(*starts);
  }
  EXPECT_EQ(admission_->num_queued(), 0u);
}

TEST_F(AdmissionTest, AJobThatAsksForManyLeavesAsManyPlaces) {
  Configure({.running = 1, .queued = 8});
  Enqueue("a", 100).value();
  Run();
  for (uint64_t i = 0; i < 4; ++i) Enqueue("b", 1, 10 + i).value();
  const auto refused = Enqueue("b", 1, 20).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("job 'b'"));
  for (uint64_t i = 0; i < 2; ++i) Enqueue("c", 1, 30 + i).value();
  EXPECT_FALSE(Enqueue("c", 1, 40).ok());
}

// 16 places: two jobs of one host take 8 and 4, and leave 4 to others, however
// many names the host makes up.
TEST_F(AdmissionTest, AHostThatMakesUpJobsLeavesPlacesToOthers) {
  Configure({.running = 0, .queued = 16});
  uint64_t stream = 1;
  size_t places = 0;
  for (char job = 'a'; job <= 'z'; ++job) {
    while (Enqueue(std::string(1, job), 1, stream++, "host 1").ok()) ++places;
  }
  EXPECT_EQ(places, 12u);
  const auto refused = Enqueue("z", 1, stream++, "host 1").status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("caller 'host 1'"));
  EXPECT_TRUE(Enqueue("y", 1, stream++, "host 2").ok());
}

// Of 16 places 8 are left for listed jobs, whatever names the others have.
TEST_F(AdmissionTest, UnlistedJobsTogetherLeavePlacesToListedOnes) {
  AdmissionLimits limits{.running = 0, .queued = 16};
  limits.weights = *JobWeights::Parse("l=1,*=1");
  Configure(limits);
  uint64_t stream = 1;
  size_t places = 0;
  for (char job = 'm'; job <= 'z'; ++job) {
    const std::string name(1, job);
    const std::string host = job % 2 == 0 ? "host 1" : "host 2";
    if (Enqueue(name, 1, stream++, host).ok()) ++places;
  }
  EXPECT_EQ(places, 8u);
  const auto refused = Enqueue("n", 1, stream++, "host 1").status();
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("jobs that --job-weights do not list"));
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(Enqueue("l", 1, stream++).ok());
  // Whoever waits for nothing yet may wait.
  EXPECT_TRUE(Enqueue("z", 1, stream++, "host 3").ok());
}

TEST_F(AdmissionTest, AStreamLeavesPlacesToOthersOfItsJob) {
  Configure({.running = 0, .queued = 16});
  size_t places = 0;
  while (Enqueue("a", 1, 1).ok()) ++places;
  EXPECT_EQ(places, 4u);
  EXPECT_THAT(std::string(Enqueue("a", 1, 1).status().message()),
              HasSubstr("of this stream"));
  EXPECT_TRUE(Enqueue("a", 1, 2).ok());
}

TEST_F(AdmissionTest, ACancelledBatchNeverStartsAndHoldsNothing) {
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

TEST_F(AdmissionTest, AStartedBatchCannotBeCancelled) {
  const auto a = Enqueue("a", 1).value();
  Run();
  EXPECT_FALSE(admission_->Cancel(a));
}

}  // namespace
}  // namespace tributary
