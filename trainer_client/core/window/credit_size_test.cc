#include "trainer_client/core/window/credit_size.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(CreditSize, FirstTheBoundOrAShareThenWhatWasSeen) {
  EXPECT_EQ(CreditSize(1 << 20, 4, 0).Next(), 256 << 10);
  EXPECT_EQ(CreditSize(1 << 20, 4, 10'000).Next(), 10'048);
  EXPECT_EQ(CreditSize(1 << 20, 1, 0).Next(), 512 << 10);  // half at most
  CreditSize size(1 << 20, 4, 0);
  size.Saw(64'000);
  EXPECT_EQ(size.Next(), 72'000);
  size.Saw(8'000);
  EXPECT_EQ(size.Next(), 72'000);
  for (int i = 0; i < 30; ++i) size.Saw(8'000);
  EXPECT_EQ(size.Next(), 72'000);  // still one of the last 32
  size.Saw(8'000);
  EXPECT_EQ(size.Next(), 9'024);  // 9000 rounded up to 64
  size.Saw(1'000'000);
  EXPECT_EQ(size.Next(), 512 << 10);
}

}  // namespace
}  // namespace tributary
