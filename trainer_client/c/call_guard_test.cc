#include "trainer_client/c/call_guard.h"

#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "gtest/gtest.h"

namespace tributary {
namespace {

TEST(CallGuardTest, AStatusIsItsCodeAndItsText) {
  EXPECT_EQ(GuardCall([] { return absl::NotFoundError("no x"); }),
            TRIBUTARY_NOT_FOUND);
  EXPECT_STREQ(LastErrorText(), "no x");
  EXPECT_EQ(GuardCall([] { return absl::OkStatus(); }), TRIBUTARY_OK);
  EXPECT_STREQ(LastErrorText(), "no x");
}

TEST(CallGuardTest, NoExceptionGetsOut) {
  EXPECT_EQ(GuardCall([]() -> absl::Status { throw std::bad_alloc(); }),
            TRIBUTARY_RESOURCE_EXHAUSTED);
  EXPECT_STREQ(LastErrorText(), "out of memory");
  EXPECT_EQ(GuardCall([]() -> absl::Status {
              throw std::runtime_error("not foreseen");
            }),
            TRIBUTARY_INTERNAL);
  EXPECT_STREQ(LastErrorText(), "not foreseen");
  EXPECT_EQ(GuardCall([]() -> absl::Status { throw 1; }), TRIBUTARY_INTERNAL);
  EXPECT_STREQ(LastErrorText(), "an unknown exception");
  GuardClose([] { throw 1; });
}

TEST(CallGuardTest, EachThreadHasItsOwnError) {
  GuardCall([] { return absl::AbortedError("mine"); });
  std::string before;
  std::thread other([&before] {
    before = LastErrorText();
    GuardCall([] { return absl::AbortedError("the other's"); });
  });
  other.join();
  EXPECT_EQ(before, "");
  EXPECT_STREQ(LastErrorText(), "mine");
}

TEST(CallGuardTest, ATextIsCopiedWithItsEnd) {
  char* copy = nullptr;
  ASSERT_TRUE(CopyText("abc", &copy).ok());
  EXPECT_STREQ(copy, "abc");
  std::free(copy);
}

}  // namespace
}  // namespace tributary
