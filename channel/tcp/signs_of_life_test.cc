#include "channel/tcp/signs_of_life.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

using Due = SignsOfLife::Due;

absl::Time At(int seconds) { return absl::FromUnixSeconds(seconds); }

class SignsOfLifeTest : public ::testing::Test {
 protected:
  static ConnectionOptions Options() {
    ConnectionOptions options;
    options.keepalive_time = absl::Seconds(10);
    options.keepalive_timeout = absl::Seconds(5);
    return options;
  }
  SignsOfLife signs_{Options(), At(0)};
};

TEST_F(SignsOfLifeTest, ASilentEndIsAskedOnceAndThenLost) {
  EXPECT_EQ(signs_.At(At(9)), Due::kNothing);
  EXPECT_EQ(signs_.At(At(10)), Due::kAsk);
  EXPECT_EQ(signs_.At(At(14)), Due::kNothing);
  EXPECT_EQ(signs_.At(At(15)), Due::kLost);
  EXPECT_EQ(signs_.SilentFor(At(15)), absl::Seconds(15));
}

TEST_F(SignsOfLifeTest, ASignBeginsAnew) {
  EXPECT_EQ(signs_.At(At(10)), Due::kAsk);
  signs_.Seen(At(14));
  EXPECT_EQ(signs_.At(At(15)), Due::kNothing);
  EXPECT_EQ(signs_.At(At(24)), Due::kAsk);
  EXPECT_EQ(signs_.At(At(29)), Due::kLost);
}

}  // namespace
}  // namespace tributary
