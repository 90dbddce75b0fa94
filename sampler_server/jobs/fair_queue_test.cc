#include "sampler_server/jobs/fair_queue.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/testing/sim_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;

constexpr auto kAnyStream = [](FairQueue::StreamId) { return true; };
constexpr auto kAnyJob = [](const std::string&, FairQueue::BatchId) {
  return true;
};

std::optional<FairQueue::Turn> Pop(FairQueue& queue) {
  return queue.Pop({kAnyStream, kAnyJob});
}

std::vector<uint64_t> PopAll(FairQueue& queue) {
  std::vector<uint64_t> batches;
  while (auto turn = Pop(queue)) batches.push_back(turn->batch);
  return batches;
}

// Jobs that always have a batch waiting; one batch at a time is made. A batch's
// number is its job's, so that it says who it was.
class Busy {
 public:
  explicit Busy(const std::string& weights)
      : queue_(JobWeights::Parse(weights).value()) {}

  void Add(const std::string& job, double cost) {
    jobs_.push_back({job, cost, 0});
    queue_.Push(job, jobs_.size(), jobs_.size() - 1);
  }
  // Makes so many and says what each job had of them, as "a4 b1".
  std::string Make(int batches) {
    for (Worker& job : jobs_) job.made = 0;
    for (int i = 0; i < batches; ++i) {
      const FairQueue::Turn turn = Pop(queue_).value();
      Worker& job = jobs_[turn.batch];
      ++job.made;
      queue_.Push(job.name, turn.batch + 1, turn.batch);
      queue_.Settle(job.name, turn.guess, job.cost);
    }
    std::string text;
    for (const Worker& job : jobs_) {
      absl::StrAppend(&text, text.empty() ? "" : " ", job.name, job.made);
    }
    return text;
  }
  FairQueue& queue() { return queue_; }

 private:
  struct Worker {
    std::string name;
    double cost;
    int made;
  };
  FairQueue queue_;
  std::vector<Worker> jobs_;
};

TEST(FairQueueTest, OneStreamIsFirstComeFirstServed) {
  FairQueue queue;
  for (uint64_t batch : {3, 1, 2}) queue.Push("a", 1, batch);
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_THAT(PopAll(queue), ElementsAre(3, 1, 2));
  EXPECT_EQ(queue.size(), 0u);
}

TEST(FairQueueTest, JobsTakeTurnsHoweverManyCreditsTheySend) {
  FairQueue queue;
  for (uint64_t batch : {1, 2, 3, 4}) queue.Push("greedy", 1, batch);
  for (uint64_t batch : {11, 12}) queue.Push("modest", 2, batch);
  EXPECT_THAT(PopAll(queue), ElementsAre(1, 11, 2, 12, 3, 4));
}

TEST(FairQueueTest, MoreStreamsGiveAJobNoMoreTurns) {
  FairQueue queue;
  queue.Push("broad", 1, 1);
  queue.Push("broad", 2, 2);
  queue.Push("broad", 3, 3);
  queue.Push("narrow", 4, 11);
  queue.Push("narrow", 4, 12);
  EXPECT_THAT(PopAll(queue), ElementsAre(1, 11, 2, 12, 3));
}

TEST(FairQueueTest, WhatABatchCostCountsAndNotHowManyThereWere) {
  // b's cost 3: after one each b is 2 ahead, and a has two turns more.
  Busy busy("*=1");
  busy.Add("a", 1);
  busy.Add("b", 3);
  EXPECT_EQ(busy.Make(400), "a300 b100");
}

TEST(FairQueueTest, AWeightOfFourGivesFourTimesTheCost) {
  Busy equal("a=4,b=1");
  equal.Add("a", 10);
  equal.Add("b", 10);
  EXPECT_EQ(equal.Make(100), "a80 b20");
  // 4 x 100 : 1 x 100 in cost is 40 batches of 10 to 5 of 20.
  Busy unequal("a=4,b=1");
  unequal.Add("a", 10);
  unequal.Add("b", 20);
  EXPECT_EQ(unequal.Make(450), "a400 b50");
}

TEST(FairQueueTest, NamesThatAreNotListedShareOneWeight) {
  Busy busy("a=2,*=1");
  busy.Add("a", 1);
  for (const char* name : {"x1", "x2", "x3", "x4"}) busy.Add(name, 1);
  EXPECT_EQ(busy.Make(600), "a400 x150 x250 x350 x450");
}

TEST(FairQueueTest, AJobThatWasAwayHasSavedNothingUp) {
  Busy busy("*=1");
  busy.Add("a", 1);
  EXPECT_EQ(busy.Make(1000), "a1000");
  busy.Add("b", 1);
  EXPECT_EQ(busy.Make(10), "a5 b5");
}

TEST(FairQueueTest, ANewJobIsServedAtOnce) {
  Busy busy("old=1000,*=1");
  busy.Add("old", 5);
  busy.Make(1000);
  busy.Add("new", 5);
  EXPECT_EQ(busy.Make(2), "old1 new1");
}

// Jobs that are not listed have accounts within their group, listed ones among
// all groups.
constexpr const char* kWeightsOfTwo[] = {"*=1", "a=1,b=1"};

TEST(FairQueueTest, AJobThatComesBackHasSavedNothingUp) {
  for (const char* weights : kWeightsOfTwo) {
    SCOPED_TRACE(weights);
    Busy busy(weights);
    busy.Add("b", 1);
    const FairQueue::Turn last = Pop(busy.queue()).value();
    busy.queue().Settle("b", last.guess, 1);  // b asks for no more
    busy.Add("a", 1);
    for (int i = 0; i < 100; ++i) {
      const FairQueue::Turn turn = Pop(busy.queue()).value();
      EXPECT_EQ(turn.batch, 1u);
      busy.queue().Push("a", 2, 1);
      busy.queue().Settle("a", turn.guess, 1);
    }
    busy.queue().Push("b", 1, 0);
    EXPECT_EQ(busy.Make(10), "b5 a5");
  }
}

TEST(FairQueueTest, WhoMayNotRunSavesNothingUpEither) {
  for (const char* weights : kWeightsOfTwo) {
    SCOPED_TRACE(weights);
    Busy busy(weights);
    busy.Add("a", 1);
    busy.Add("b", 1);
    busy.Make(2);
    const auto not_b = [](const std::string& job, FairQueue::BatchId) {
      return job != "b";
    };
    for (int i = 0; i < 100; ++i) {
      const auto turn = busy.queue().Pop({kAnyStream, not_b}).value();
      EXPECT_EQ(turn.batch, 0u);
      busy.queue().Push("a", 1, 0);
      busy.queue().Settle("a", turn.guess, 1);
    }
    EXPECT_EQ(busy.Make(10), "a5 b5");
  }
}

// b is blocked once. Later one of its batches is taken to cost 10, costs 1, and
// ends when a has got ahead by 9: b's next turns make it good.
TEST(FairQueueTest, WhoCouldNotRunOnceSavesUpAgain) {
  const auto not_b = [](const std::string& job, FairQueue::BatchId) {
    return job != "b";
  };
  for (const char* weights : kWeightsOfTwo) {
    SCOPED_TRACE(weights);
    FairQueue queue(JobWeights::Parse(weights).value());
    for (uint64_t i = 0; i < 40; ++i) {
      queue.Push("a", 1, i);
      queue.Push("b", 2, 100 + i);
    }
    const auto make_a = [&queue](int batches) {
      for (int i = 0; i < batches; ++i) {
        const FairQueue::Turn turn = Pop(queue).value();
        EXPECT_LT(turn.batch, 100u);
        queue.Settle("a", turn.guess, 1);
      }
    };
    queue.Settle("a", queue.Pop({kAnyStream, not_b})->guess, 1);
    queue.Settle("b", Pop(queue)->guess, 10);
    make_a(10);  // a stands at 11, b at 10
    const FairQueue::Turn of_b = Pop(queue).value();
    EXPECT_EQ(of_b.guess, 10);
    make_a(9);
    queue.Settle("b", of_b.guess, 1);  // a stands at 20, b at 11
    for (int i = 0; i < 9; ++i) {
      const FairQueue::Turn turn = Pop(queue).value();
      EXPECT_GE(turn.batch, 100u) << i;
      queue.Settle("b", turn.guess, 1);
    }
    make_a(1);
  }
}

// Only so many names without batches are remembered.
TEST(FairQueueTest, WhoIsFarAheadIsNotForgottenForOthers) {
  FairQueue queue;
  queue.Push("ahead", 1, 1);
  queue.Settle("ahead", Pop(queue)->guess, 1000);
  for (uint64_t i = 0; i < 600; ++i) {
    const std::string name = absl::StrCat("x", i);
    queue.Push(name, 2 + i, 2);
    queue.Settle(name, Pop(queue)->guess, 1);
  }
  queue.Push("ahead", 1, 1);
  queue.Push("new", 2, 2);
  EXPECT_THAT(PopAll(queue), ElementsAre(2, 1));
}

TEST(FairQueueTest, AGuessThatWasWrongIsMadeGood) {
  FairQueue queue;
  for (uint64_t batch : {1, 2, 3, 4, 5}) queue.Push("a", 1, batch);
  for (uint64_t batch : {11, 12, 13, 14, 15}) queue.Push("b", 2, batch);
  // Both are begun by the first guess of 1; a's turns out to cost 4.
  const FairQueue::Turn a = Pop(queue).value();
  const FairQueue::Turn b = Pop(queue).value();
  EXPECT_EQ(a.batch, 1u);
  EXPECT_EQ(b.batch, 11u);
  EXPECT_EQ(a.guess, 1);
  queue.Settle("a", a.guess, 4);
  queue.Settle("b", b.guess, 1);
  // a stands at 4, b at 1: b has three turns until they are even.
  std::vector<uint64_t> batches;
  for (int i = 0; i < 4; ++i) {
    const FairQueue::Turn turn = Pop(queue).value();
    batches.push_back(turn.batch);
    queue.Settle(turn.batch < 10 ? "a" : "b", turn.guess,
                 turn.batch < 10 ? 4 : 1);
  }
  EXPECT_THAT(batches, ElementsAre(12, 13, 14, 2));
}

TEST(FairQueueTest, WhatNeverBeganCostsNothing) {
  FairQueue queue;
  for (uint64_t batch : {1, 2, 3}) queue.Push("a", 1, batch);
  for (uint64_t batch : {11, 12}) queue.Push("b", 2, batch);
  const FairQueue::Turn turn = Pop(queue).value();
  queue.Refund("a", turn.guess);
  EXPECT_THAT(PopAll(queue), ElementsAre(2, 11, 3, 12));
}

TEST(FairQueueTest, AStreamThatMayNotRunIsPassedOverAndKeepsItsBatches) {
  FairQueue queue;
  queue.Push("a", 1, 1);
  queue.Push("a", 2, 2);
  queue.Push("b", 3, 3);
  auto not_one = [](FairQueue::StreamId stream) { return stream != 1; };
  EXPECT_EQ(queue.Pop({not_one, kAnyJob})->batch, 2u);
  EXPECT_EQ(queue.Pop({not_one, kAnyJob})->batch, 3u);
  EXPECT_FALSE(queue.Pop({not_one, kAnyJob}).has_value());
  EXPECT_EQ(Pop(queue)->batch, 1u);
}

TEST(FairQueueTest, WithinAJobNoneOvertakesTheOneThatMayNotStart) {
  FairQueue queue;
  queue.Push("a", 1, 1);
  queue.Push("a", 2, 2);
  const auto not_1 = [](const std::string&, FairQueue::BatchId batch) {
    return batch != 1;
  };
  EXPECT_FALSE(queue.Pop({kAnyStream, not_1}).has_value());
  EXPECT_EQ(Pop(queue)->batch, 1u);
}

TEST(FairQueueTest, RemovesOnce) {
  FairQueue queue;
  queue.Push("a", 1, 1);
  queue.Push("a", 1, 2);
  EXPECT_TRUE(queue.Remove("a", 1, 1));
  EXPECT_FALSE(queue.Remove("a", 1, 1));
  EXPECT_FALSE(queue.Remove("b", 1, 2));
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_THAT(PopAll(queue), ElementsAre(2));
}

TEST(FairQueueTest, ThousandsOfNamesChangeNothingForAJobThatIsListed) {
  Busy busy("a=1,*=1");
  busy.Add("a", 1);
  for (int i = 0; i < 3000; ++i) busy.Add(absl::StrCat("x", i), 1);
  EXPECT_EQ(busy.Make(200).substr(0, 5), "a100 ");
}

// Random jobs, weights, costs, so many batches at once; jobs that always wait
// have, over any time, equal costs by weight, but for a few batches.
class FairQueueProperty : public testing::TestWithParam<int> {};

TEST_P(FairQueueProperty, CostsByWeightDifferByAFewBatchesAtMost) {
  struct Worker {
    std::string name;
    double weight;
    double most;  // that a batch costs
    double cost = 0;
  };
  struct Running {
    size_t job;
    double guess;
  };
  SimRandom random(static_cast<uint64_t>(GetParam()), "jobs");
  std::vector<Worker> jobs;
  std::string weights;
  for (uint64_t i = 0, n = 2 + random.Below(4); i < n; ++i) {
    Worker job{absl::StrCat("job", i), 1.0 + double(random.Below(9)),
               1.0 + double(random.Below(1000))};
    absl::StrAppend(&weights, weights.empty() ? "" : ",", job.name, "=",
                    int(job.weight));
    jobs.push_back(job);
  }
  FairQueue queue(JobWeights::Parse(weights).value());
  for (size_t j = 0; j < jobs.size(); ++j) queue.Push(jobs[j].name, j, j);
  const size_t at_once = 1 + random.Below(4);
  std::vector<Running> running;
  std::map<std::pair<size_t, size_t>, std::pair<double, double>> range;
  for (int step = 0; step < 2000; ++step) {
    while (running.size() < at_once) {
      const FairQueue::Turn turn = Pop(queue).value();
      running.push_back({turn.batch, turn.guess});
      queue.Push(jobs[turn.batch].name, turn.batch, turn.batch);
    }
    const size_t which = random.Below(running.size());
    const Running ended = running[which];
    running.erase(running.begin() + static_cast<std::ptrdiff_t>(which));
    Worker& job = jobs[ended.job];
    const double cost = 1 + double(random.Below(uint64_t(job.most)));
    job.cost += cost;
    queue.Settle(job.name, ended.guess, cost);
    for (size_t a = 0; a < jobs.size(); ++a) {
      for (size_t b = 0; b < a; ++b) {
        const double apart =
            jobs[a].cost / jobs[a].weight - jobs[b].cost / jobs[b].weight;
        auto& [least, most] =
            range.try_emplace({a, b}, apart, apart).first->second;
        least = std::min(least, apart);
        most = std::max(most, apart);
        EXPECT_LE(most - least,
                  double(at_once + 1) * (jobs[a].most / jobs[a].weight +
                                         jobs[b].most / jobs[b].weight))
            << "seed " << GetParam() << " step " << step << " of " << weights;
      }
    }
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FairQueueProperty, testing::Range(1, 201));

}  // namespace
}  // namespace tributary
