#include "partition/pipeline/inputs/text/number_text.h"

#include <bit>
#include <cmath>

#include "gtest/gtest.h"

namespace tributary {
namespace {

uint32_t Bits(absl::string_view text) {
  return std::bit_cast<uint32_t>(ParseFloat32(text).value());
}

TEST(ParseFloat32, RoundsOnce) {
  EXPECT_EQ(Bits("1"), 0x3f800000);
  EXPECT_EQ(Bits("0.1"), 0x3dcccccd);
  EXPECT_EQ(Bits("16777217"), 0x4b800000);  // 2^24 + 1: the tie goes to even
  // Just above the middle of 1 and its successor. Rounded to float64 first it
  // would be the middle itself, and then 1.
  EXPECT_EQ(Bits("1.00000005960464477540"), 0x3f800001);
  EXPECT_EQ(Bits(" +2.5 "), 0x40200000);
  EXPECT_EQ(Bits("1e-3"), 0x3a83126f);
}

TEST(ParseFloat32, KeepsSignsAndEnds) {
  EXPECT_EQ(Bits("-0"), 0x80000000);
  EXPECT_EQ(Bits("-0.0"), 0x80000000);
  EXPECT_EQ(Bits("1e-45"), 0x00000001);  // the least denormal
  EXPECT_EQ(Bits("1e-60"), 0x00000000);
  EXPECT_EQ(Bits("-1e-60"), 0x80000000);
  EXPECT_EQ(Bits("3.4028235e38"), 0x7f7fffff);
  EXPECT_EQ(Bits("inf"), 0x7f800000);
  EXPECT_EQ(Bits("-Inf"), 0xff800000);
}

TEST(ParseFloat32, NanIsCanonical) {
  for (absl::string_view text : {"nan", "NaN", "-nan", "nan(7)"}) {
    EXPECT_EQ(Bits(text), 0x7fc00000) << text;
  }
}

TEST(ParseFloat32, RefusesWhatIsNoNumber) {
  for (absl::string_view text : {"", " ", "x", "1x", "1,2", "+-1", "--1",
                                 "0x10", "1e39", "-1e39", "1 2", "\"1\""}) {
    EXPECT_FALSE(ParseFloat32(text).has_value()) << text;
  }
}

TEST(ParseWholeNumber, TakesWhatIsWhole) {
  const std::pair<absl::string_view, int64_t> cases[] = {
      {"7", 7},
      {"-1", -1},
      {"7.0", 7},
      {"7.", 7},
      {"70e-1", 7},
      {"0.7E1", 7},
      {"1e3", 1000},
      {"-0", 0},
      {"-0.0", 0},
      {"+5", 5},
      {"0e99", 0},
      {"00012", 12},
      {"9223372036854775807", 9223372036854775807},
      {"9223372036854775807.000", 9223372036854775807},
      {"-9223372036854775808", INT64_MIN},
  };
  for (const auto& [text, value] : cases) {
    EXPECT_EQ(ParseWholeNumber(text), value) << text;
  }
}

TEST(ParseWholeNumber, RefusesWhatIsNot) {
  for (absl::string_view text :
       {"", "0.5", "7.0000000000000000000000001", "nan", "inf", "1e-1",
        "9223372036854775808", "1e19", "1e999999999999", "e3", ".", "-"}) {
    EXPECT_FALSE(ParseWholeNumber(text).has_value()) << text;
  }
}

TEST(ParseId, TakesDigitsOnly) {
  EXPECT_EQ(ParseId("0"), 0);
  EXPECT_EQ(ParseId(" 12 "), 12);
  for (absl::string_view text :
       {"", "-1", "-0", "1.0", "1e3", "a", "9223372036854775808"}) {
    EXPECT_FALSE(ParseId(text).has_value()) << text;
  }
}

TEST(ParseFloat64, RoundsOnceToTheNearestDouble) {
  EXPECT_EQ(ParseFloat64(" +0.1 "), 0.1);
  EXPECT_EQ(ParseFloat64("9007199254740993"), 9007199254740992.0);  // to even
  EXPECT_EQ(ParseFloat64("5e-324"), 5e-324);
  EXPECT_EQ(ParseFloat64("2e-324"), 0.0);  // below half of the least
  EXPECT_EQ(ParseFloat64("1e309"), std::nullopt);
  EXPECT_EQ(ParseFloat64("0x1"), std::nullopt);
  EXPECT_EQ(ParseFloat64(""), std::nullopt);
  EXPECT_TRUE(std::isnan(*ParseFloat64("nan")));
  EXPECT_TRUE(std::isinf(*ParseFloat64("-inf")));
}

TEST(ParseCount, GoesUpTo2ToThe56) {
  EXPECT_EQ(ParseCount("0"), 0);
  EXPECT_EQ(ParseCount("72057594037927936"), kMaxCount);
  EXPECT_EQ(ParseCount("72057594037927937"), std::nullopt);
  EXPECT_EQ(ParseCount("-1"), std::nullopt);
  EXPECT_EQ(ParseCount("3.0"), std::nullopt);
}

}  // namespace
}  // namespace tributary
