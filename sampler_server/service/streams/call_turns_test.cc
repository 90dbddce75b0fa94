#include "sampler_server/service/streams/call_turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/testing/sim_scheduler.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;

class CallTurnsTest : public ::testing::Test {
 protected:
  void Post(const std::string& caller, uint64_t stream,
            const std::string& name) {
    turns_->Post(&executor_, caller, stream,
                 [this, name] { served_.push_back(name); });
  }

  // Runs tasks in the order posted.
  class InOrder final : public Executor {
   public:
    const Clock& clock() const override { return SteadyClock(); }
    void Post(Task task) override { tasks.push_back(std::move(task)); }
    TimerId PostAt(absl::Time, Task) override { return 0; }
    bool CancelTimer(TimerId) override { return false; }
    void RunAll() {
      for (size_t i = 0; i < tasks.size(); ++i) tasks[i]();
      tasks.clear();
    }
    std::vector<Task> tasks;
  };

  InOrder executor_;
  std::vector<std::string> served_;
  const std::shared_ptr<CallTurns> turns_ = std::make_shared<CallTurns>();
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

TEST_F(CallTurnsTest, CallsThatTheExecutorDropsAreDestroyed) {
  const auto held = std::make_shared<int>(0);
  turns_->Post(&executor_, "a", 1, [held] {});
  turns_->Post(&executor_, "a", 1, [held] {});
  EXPECT_EQ(held.use_count(), 3);
  executor_.tasks.clear();
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace tributary
