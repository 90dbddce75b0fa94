#include "cli/fleet/end_deadline.h"

#include <unistd.h>

#include "gtest/gtest.h"

namespace tributary {
namespace {

// The program of this test has other threads, which must not be forked.
class EndDeadlineTest : public ::testing::Test {
 protected:
  EndDeadlineTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(EndDeadlineTest, EndsAProcessThatDoesNotEnd) {
  EXPECT_EXIT(
      {
        const EndDeadline deadline(absl::Milliseconds(20));
        pause();
      },
      ::testing::ExitedWithCode(1), "has not ended within 20ms of the signal");
}

TEST_F(EndDeadlineTest, IsCalledOff) {
  EXPECT_EXIT(
      {
        { const EndDeadline deadline(absl::Milliseconds(20)); }
        { const EndDeadline deadline(absl::Hours(1)); }
        _exit(7);
      },
      ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace tributary
