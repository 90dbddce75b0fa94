#include "common/runtime/thread_pool.h"

#include <atomic>
#include <memory>
#include <vector>

#include "common/runtime/mutex.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

// Counts to `n` and lets one thread wait for it.
class Latch {
 public:
  explicit Latch(int n) : left_(n) {}
  void CountDown() {
    MutexLock lock(mutex_);
    if (--left_ == 0) done_.NotifyAll();
  }
  void Wait() {
    MutexLock lock(mutex_);
    while (left_ > 0) done_.Wait(mutex_);
  }

 private:
  Mutex mutex_;
  CondVar done_;
  int left_ ABSL_GUARDED_BY(mutex_);
};

TEST(ThreadPool, RunsEveryTaskBeforeItEnds) {
  std::atomic<int> ran{0};
  {
    ThreadPool pool("test", 4);
    for (int i = 0; i < 1000; ++i) pool.Post([&ran] { ++ran; });
  }
  EXPECT_EQ(ran, 1000);
}

TEST(ThreadPool, TimersFireInOrderOfTimeAndNotEarly) {
  ThreadPool pool("test", 1);
  Latch latch(3);
  std::vector<int> order;  // one thread runs the tasks
  const absl::Time start = pool.Now();
  absl::Time first;
  pool.PostAfter(absl::Milliseconds(30), [&] {
    order.push_back(3);
    latch.CountDown();
  });
  pool.PostAfter(absl::Milliseconds(10), [&] {
    first = pool.Now();
    order.push_back(1);
    latch.CountDown();
  });
  pool.PostAfter(absl::Milliseconds(20), [&] {
    order.push_back(2);
    latch.CountDown();
  });
  latch.Wait();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  EXPECT_GE(first - start, absl::Milliseconds(10));
}

TEST(ThreadPool, CancelledTimerNeverRunsAndLetsGoOfItsTask) {
  ThreadPool pool("test", 1);
  auto owned = std::make_shared<int>(0);
  const TimerId id = pool.PostAfter(absl::Hours(1), [owned] {});
  EXPECT_EQ(owned.use_count(), 2);
  EXPECT_TRUE(pool.CancelTimer(id));
  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_FALSE(pool.CancelTimer(id));
}

TEST(ThreadPool, DropsTimersThatAreNotDueWhenItEnds) {
  auto owned = std::make_shared<int>(0);
  {
    ThreadPool("test", 2).PostAfter(absl::Hours(1), [owned] {});
  }
  EXPECT_EQ(owned.use_count(), 1);
}

// Returns the busy time of a pool without tasks, once all of its threads wait:
// then it stands still.
absl::Duration BusyTimeAtRest(const ThreadPool& pool) {
  const absl::Time deadline = pool.Now() + absl::Seconds(30);
  absl::Duration before = pool.BusyTime();
  while (pool.Now() < deadline) {
    const absl::Time read_at = pool.Now();
    while (pool.Now() <= read_at) std::this_thread::yield();
    if (pool.BusyTime() == before) return before;
    before = pool.BusyTime();
  }
  ADD_FAILURE() << "its threads do not come to rest";
  return before;
}

TEST(ThreadPool, ItsBusyTimeGrowsWhileATaskRuns) {
  ThreadPool pool("test", 2);
  const absl::Duration before = BusyTimeAtRest(pool);
  Latch started(1), release(1), ended(1);
  pool.Post([&] {
    started.CountDown();
    release.Wait();
    ended.CountDown();
  });
  started.Wait();
  const absl::Time from = pool.Now();
  pool.PostAfter(absl::Milliseconds(20), [&] { release.CountDown(); });
  ended.Wait();
  const absl::Duration took = pool.Now() - from;
  EXPECT_GE(took, absl::Milliseconds(20));
  EXPECT_GE(BusyTimeAtRest(pool) - before, took);
}

TEST(Strand, NeverRunsTwoTasksAtOnceAndKeepsTheOrderOfEachPoster) {
  constexpr int kPosters = 4, kEach = 500;
  ThreadPool pool("test", 4);
  auto strand = std::make_shared<Strand>(&pool);
  Latch latch(kPosters * kEach);
  std::vector<int> seen(kPosters, 0);  // guarded by the strand alone
  bool in_order = true;
  std::atomic<int> inside{0};
  std::atomic<bool> overlapped{false};
  std::vector<std::thread> posters;
  for (int p = 0; p < kPosters; ++p) {
    posters.emplace_back([&, p] {
      for (int i = 0; i < kEach; ++i) {
        strand->Post([&, p, i] {
          if (++inside != 1) overlapped = true;
          if (seen[p]++ != i) in_order = false;
          --inside;
          latch.CountDown();
        });
      }
    });
  }
  for (std::thread& poster : posters) poster.join();
  latch.Wait();
  EXPECT_FALSE(overlapped);
  EXPECT_TRUE(in_order);
}

TEST(ThreadPool, EndRunsWhatWasPostedAndNothingLater) {
  std::atomic<int> ran{0};
  ThreadPool pool("test", 2);
  for (int i = 0; i < 100; ++i) pool.Post([&ran] { ++ran; });
  pool.End();
  EXPECT_EQ(ran, 100);
  pool.Post([&ran] { ++ran; });
  pool.PostAt(absl::InfinitePast(), [&ran] { ++ran; });
  pool.End();
  EXPECT_EQ(ran, 100);
}

// Posts a task that owns it to a pool when it is destroyed, `times` times.
struct Poster {
  Poster(ThreadPool* to, ThreadPool* other, int times)
      : to(to), other(other), times(times) {}
  ~Poster() {
    if (times == 0) return;
    to->Post([next = std::make_unique<Poster>(other, to, times - 1)] {});
  }
  ThreadPool* const to;
  ThreadPool* const other;
  const int times;
};

TEST(ThreadPool, PoolsThatPostToOneAnotherEndTogether) {
  std::atomic<bool> ran{false};
  const auto owned = std::make_shared<int>(0);
  ThreadPool first("first", 1);
  auto second = std::make_unique<ThreadPool>("second", 1);
  first.End();
  second->Post([&, owned = owned] {
    first.Post([&ran, owned] { ran = true; });
    first.Post([poster = std::make_unique<Poster>(second.get(), &first, 5)] {});
  });
  ThreadPool::EndTogether({&first, second.get()});
  EXPECT_FALSE(ran);
  EXPECT_EQ(owned.use_count(), 1);
  second = nullptr;  // nothing of `first` posts to it any more
}

}  // namespace
}  // namespace tributary
