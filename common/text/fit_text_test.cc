#include "common/text/fit_text.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(TraceTimesTest, TextsAreCutBetweenCharacters) {
  EXPECT_EQ(FitText("abcdef", 6), "abcdef");
  EXPECT_EQ(FitText("abcdefg", 6), "abc...");
  EXPECT_EQ(FitText("a\nb", 6), "a\\nb");
  EXPECT_EQ(FitText("ab\xc3\xa4"
                    "defg",
                    6),
            "ab...");
}

}  // namespace
}  // namespace tributary
