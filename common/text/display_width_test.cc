#include "common/text/display_width.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kWide[] =
    "\xe5\x9b\xbe\xe6\x95\xb0\xe6\x8d\xae";  // 3 ideographs

TEST(DisplayWidthTest, CountsColumnsNotBytes) {
  EXPECT_EQ(DisplayWidth(""), 0u);
  EXPECT_EQ(DisplayWidth("alpha"), 5u);
  EXPECT_EQ(DisplayWidth("gr\xc3\xbc\xc3\x9f"), 4u);
  EXPECT_EQ(DisplayWidth(kWide), 6u);
  EXPECT_EQ(DisplayWidth("\xf0\x9f\x98\x80"), 2u);
  EXPECT_EQ(DisplayWidth("\xff\xfe"), 2u);  // no UTF-8: a column for each byte
}

TEST(DisplayWidthTest, CutsBetweenCharacters) {
  EXPECT_EQ(CutToWidth("alphabet", 8), "alphabet");
  EXPECT_EQ(CutToWidth("alphabets", 8), "alpha...");
  EXPECT_EQ(CutToWidth("alphabets", 4), "alph");
  EXPECT_EQ(CutToWidth(kWide, 5), std::string(kWide, 6));
  EXPECT_EQ(CutToWidth(std::string(kWide) + kWide, 8),
            std::string(kWide, 6) + "...");
}

TEST(DisplayWidthTest, PadsByColumns) {
  EXPECT_EQ(PadToWidth("7", 3, true), "  7");
  EXPECT_EQ(PadToWidth(kWide, 8, false), std::string(kWide) + "  ");
  EXPECT_EQ(PadToWidth("long", 3, false), "long");
}

TEST(DisplayWidthTest, WrapsWords) {
  EXPECT_THAT(WrapToWidth("", 20), IsEmpty());
  EXPECT_THAT(WrapToWidth("one two  three four five", 10),
              ElementsAre("one two", "three four", "five"));
  EXPECT_THAT(WrapToWidth("a abcdefghijkl b", 5),
              ElementsAre("a", "abcde", "fghij", "kl b"));
}

}  // namespace
}  // namespace tributary
