#include "common/runtime/async_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class AsyncLockTest : public ::testing::Test {
 protected:
  void Take(const std::string& name) {
    lock_->Take([this, name](AsyncLock::Hold hold) {
      taken_.push_back(name);
      hold_ = std::move(hold);
    });
  }
  void Release() {
    AsyncLock::Hold hold;
    hold.swap(hold_);
  }

  const std::shared_ptr<AsyncLock> lock_ = std::make_shared<AsyncLock>();
  std::vector<std::string> taken_;
  AsyncLock::Hold hold_;
};

TEST_F(AsyncLockTest, IsGivenInTheOrderAskedFor) {
  Take("a");
  Take("b");
  Take("c");
  EXPECT_THAT(taken_, ElementsAre("a"));
  Release();
  EXPECT_THAT(taken_, ElementsAre("a", "b"));
  Take("d");
  Release();
  Release();
  EXPECT_THAT(taken_, ElementsAre("a", "b", "c", "d"));
  Release();
  Take("e");
  EXPECT_EQ(taken_.back(), "e");
}

TEST_F(AsyncLockTest, WhoeverIsDroppedLetsTheNextOneHaveIt) {
  Take("a");
  lock_->Take([](AsyncLock::Hold) {});  // lets go at once
  Take("b");
  Release();
  EXPECT_THAT(taken_, ElementsAre("a", "b"));
}

TEST_F(AsyncLockTest, ThoseThatWaitAreDestroyedWithIt) {
  const auto held = std::make_shared<int>(0);
  {
    auto lock = std::make_shared<AsyncLock>();
    lock->Take([held](AsyncLock::Hold) {});
    EXPECT_EQ(held.use_count(), 1);
  }
  EXPECT_THAT(taken_, IsEmpty());
}

}  // namespace
}  // namespace tributary
