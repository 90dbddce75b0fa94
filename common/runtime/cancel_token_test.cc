#include "common/runtime/cancel_token.h"

#include "gtest/gtest.h"

namespace tributary {
namespace {

TEST(CancelToken, CallbacksRunOnceInTheFirstCancel) {
  CancelToken token;
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): it shares.
  const CancelToken copy = token;
  int ran = 0;
  copy.OnCancel([&] { ++ran; });
  EXPECT_FALSE(token.cancelled());
  token.Cancel();
  EXPECT_TRUE(copy.cancelled());
  EXPECT_EQ(ran, 1);
  token.Cancel();
  EXPECT_EQ(ran, 1);
}

TEST(CancelToken, CallbackAfterCancelRunsAtOnce) {
  CancelToken token;
  token.Cancel();
  bool ran = false;
  token.OnCancel([&] { ran = true; });
  EXPECT_TRUE(ran);
}

TEST(CancelToken, CallbackMayCancelAgain) {
  CancelToken token;
  int ran = 0;
  token.OnCancel([&] {
    ++ran;
    token.Cancel();
  });
  token.Cancel();
  EXPECT_EQ(ran, 1);
}

}  // namespace
}  // namespace tributary
