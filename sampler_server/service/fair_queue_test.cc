#include "sampler_server/service/fair_queue.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;

bool Any(FairQueue::StreamId) { return true; }

std::vector<uint64_t> PopAll(FairQueue& queue) {
  std::vector<uint64_t> jobs;
  while (auto job = queue.Pop(Any)) jobs.push_back(*job);
  return jobs;
}

TEST(FairQueueTest, OneStreamIsFirstComeFirstServed) {
  FairQueue queue;
  for (uint64_t job : {3, 1, 2}) queue.Push("a", 1, job);
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_THAT(PopAll(queue), ElementsAre(3, 1, 2));
  EXPECT_EQ(queue.size(), 0u);
}

TEST(FairQueueTest, ClientsTakeTurnsHoweverManyCreditsTheySend) {
  FairQueue queue;
  for (uint64_t job : {1, 2, 3, 4}) queue.Push("greedy", 1, job);
  for (uint64_t job : {11, 12}) queue.Push("modest", 2, job);
  EXPECT_THAT(PopAll(queue), ElementsAre(1, 11, 2, 12, 3, 4));
}

TEST(FairQueueTest, MoreStreamsGiveAClientNoMoreTurns) {
  FairQueue queue;
  queue.Push("wide", 1, 1);
  queue.Push("wide", 2, 2);
  queue.Push("wide", 3, 3);
  queue.Push("narrow", 4, 11);
  queue.Push("narrow", 4, 12);
  EXPECT_THAT(PopAll(queue), ElementsAre(1, 11, 2, 12, 3));
}

TEST(FairQueueTest, AStreamThatMayNotRunIsPassedOverAndKeepsItsJobs) {
  FairQueue queue;
  queue.Push("a", 1, 1);
  queue.Push("b", 2, 2);
  auto not_one = [](FairQueue::StreamId stream) { return stream != 1; };
  EXPECT_EQ(queue.Pop(not_one), 2u);
  EXPECT_EQ(queue.Pop(not_one), std::nullopt);
  EXPECT_EQ(queue.Pop(Any), 1u);
}

TEST(FairQueueTest, RemovesOnce) {
  FairQueue queue;
  queue.Push("a", 1, 1);
  queue.Push("a", 1, 2);
  EXPECT_TRUE(queue.Remove("a", 1, 1));
  EXPECT_FALSE(queue.Remove("a", 1, 1));
  EXPECT_FALSE(queue.Remove("b", 1, 2));
  EXPECT_THAT(PopAll(queue), ElementsAre(2));
}

}  // namespace
}  // namespace tributary
