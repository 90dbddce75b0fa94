#include "sampler_server/streams/call_turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/testing/sim_scheduler.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;

class CallTurnsTest : public ::testing::Test {
 protected:
  void Post(const std::string& caller, uint64_t stream,
            const std::string& name) {
    turns_->Post({"", caller, stream},
                 [this, name](WorkSlice&) { served_.push_back(name); });
  }

  // Runs tasks in the order posted.
  class InOrder final : public Executor {
   public:
    const Clock& clock() const override { return SteadyClock(); }
    void Post(Task task) override { tasks.push_back(std::move(task)); }
    TimerId PostAt(absl::Time, Task) override { return 0; }
    bool CancelTimer(TimerId) override { return false; }
    void RunAll() {
      while (!tasks.empty()) {
        Task task = std::move(tasks.front());
        tasks.pop_front();
        task();
      }
    }
    std::deque<Task> tasks;
  };

  InOrder executor_;
  std::vector<std::string> served_;
  std::shared_ptr<CallTurns> turns_ = std::make_shared<CallTurns>(&executor_);
};

TEST_F(CallTurnsTest, ACallerWithManyCallsDelaysAnotherByOne) {
  for (const char* name : {"a1", "a2", "a3", "a4"}) Post("a", 1, name);
  Post("b", 2, "b1");
  Post("b", 2, "b2");
  executor_.RunAll();
  EXPECT_THAT(served_, ElementsAre("a1", "b1", "a2", "b2", "a3", "a4"));
}

TEST_F(CallTurnsTest, TheStreamsOfACallerTakeTurnsWithinItsTurns) {
  for (const char* name : {"s1", "s2", "s3"}) Post("a", 1, name);
  Post("a", 2, "t1");
  Post("b", 3, "b1");
  Post("b", 3, "b2");
  executor_.RunAll();
  EXPECT_THAT(served_, ElementsAre("s1", "b1", "t1", "b2", "s2", "s3"));
}

// Its second step comes after one of the other's; each costs what its slice
// says, and who has used less is next.
TEST_F(CallTurnsTest, StepsAreChargedToTheirJobs) {
  std::map<std::string, absl::Duration> charged;
  CallTurnsOptions options;
  options.charge = [&](const TurnOwner& owner, absl::Duration cost) {
    charged[owner.job + " of " + owner.caller] += cost;
  };
  turns_ = std::make_shared<CallTurns>(&executor_, std::move(options));
  const auto post = [&](const std::string& job, uint64_t work) {
    turns_->Post({job, "host", 1}, [this, job, work](WorkSlice& slice) {
      slice.Spend(work);
      served_.push_back(job);
    });
  };
  for (int i = 0; i < 3; ++i) post("dear", 95'000);
  for (int i = 0; i < 8; ++i) post("cheap", 15'000);
  executor_.RunAll();
  EXPECT_THAT(served_,
              ElementsAre("dear", "cheap", "cheap", "cheap", "cheap", "cheap",
                          "dear", "cheap", "cheap", "cheap", "dear"));
  EXPECT_EQ(charged["dear of host"], absl::Microseconds(300));
  EXPECT_EQ(charged["cheap of host"], absl::Microseconds(160));
  EXPECT_EQ(turns_->spent(), absl::Microseconds(460));
}

// Short calls end one after the other, and a long one holds up none.
TEST_F(CallTurnsTest, ACallHasSomeStepsInARow) {
  const StreamTurns stream(turns_, "a", [] { return std::string(); });
  std::function<void(std::string, int, int)> run = [&](std::string name,
                                                       int steps, int all) {
    served_.push_back(name);
    if (++steps == all) return;
    stream.Post([&run, name, steps, all](WorkSlice&) { run(name, steps, all); },
                steps);
  };
  stream.Post([&](WorkSlice&) { run("long", 0, 12); });
  stream.Post([&](WorkSlice&) { run("short", 0, 2); });
  executor_.RunAll();
  ASSERT_EQ(served_.size(), 14u);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(served_[i], "long") << i;
  served_.erase(served_.begin(), served_.begin() + 10);
  EXPECT_THAT(served_, ElementsAre("short", "short", "long", "long"));
}

TEST_F(CallTurnsTest, TheCpuClockDecidesWhereThereIsOne) {
  static thread_local absl::Duration now;
  CallTurnsOptions options;
  options.cpu_clock = [] { return now; };
  turns_ = std::make_shared<CallTurns>(&executor_, std::move(options));
  turns_->Post({"", "a", 1}, [](WorkSlice& slice) {
    slice.Spend(1'000'000);
    now += absl::Milliseconds(7);
  });
  executor_.RunAll();
  EXPECT_EQ(turns_->spent(), absl::Milliseconds(7));
}

// While a step of a runs, the other thread has those of b, and none of a.
TEST_F(CallTurnsTest, ACallerLeavesThreadsToOthers) {
  CallTurnsOptions options;
  options.most_of_caller = 1;
  turns_ = std::make_shared<CallTurns>(&executor_, std::move(options));
  turns_->Post({"", "a", 1}, [this](WorkSlice&) {
    served_.push_back("a1 begins");
    Post("a", 1, "a3");
    Post("b", 2, "b2");
    executor_.RunAll();  // as another thread does
    served_.push_back("a1 ends");
  });
  Post("a", 1, "a2");
  Post("b", 2, "b1");
  executor_.RunAll();
  EXPECT_THAT(served_,
              ElementsAre("a1 begins", "b1", "b2", "a1 ends", "a2", "a3"));
}

TEST_F(CallTurnsTest, StepsThatMayNotRunYetAreDroppedWithTheExecutor) {
  CallTurnsOptions options;
  options.most_of_caller = 1;
  turns_ = std::make_shared<CallTurns>(&executor_, std::move(options));
  const auto held = std::make_shared<int>(0);
  turns_->Post({"", "a", 1}, [&, held](WorkSlice&) {
    for (int i = 0; i < 30; ++i) {
      turns_->Post({"", "a", 1}, [held](WorkSlice&) {});
    }
    EXPECT_TRUE(executor_.tasks.empty());
  });
  std::deque<Task> running;
  running.swap(executor_.tasks);
  running.front()();  // some of them in a row
  running.clear();
  EXPECT_GT(held.use_count(), 2);
  // Each that is dropped lets the next one be posted.
  while (!executor_.tasks.empty()) {
    std::deque<Task> dropped;
    dropped.swap(executor_.tasks);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(CallTurnsTest, CallsThatTheExecutorDropsAreDestroyed) {
  const auto held = std::make_shared<int>(0);
  turns_->Post({"", "a", 1}, [held](WorkSlice&) {});
  turns_->Post({"", "a", 1}, [held](WorkSlice&) {});
  EXPECT_EQ(held.use_count(), 3);
  executor_.tasks.clear();
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace tributary
