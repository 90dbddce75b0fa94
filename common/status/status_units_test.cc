#include "common/status/status_units.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(StatusUnitsTest, RatesHaveThreeDigits) {
  EXPECT_EQ(RateText(0), "0");
  EXPECT_EQ(RateText(0.001), "<0.01");
  EXPECT_EQ(RateText(0.307), "0.31");
  EXPECT_EQ(RateText(9.999), "10.0");
  EXPECT_EQ(RateText(12.34), "12.3");
  EXPECT_EQ(RateText(1234.5), "1234");
}

TEST(StatusUnitsTest, WhatNoServerShouldSayIsBriefAllTheSame) {
  EXPECT_EQ(RateText(-1), "0");
  EXPECT_EQ(RateText(std::nan("")), "0");
  EXPECT_EQ(RateText(std::numeric_limits<double>::infinity()), ">1e12");
  EXPECT_EQ(PercentText(~uint64_t{0}, 1), "999%");
}

TEST(StatusUnitsTest, SharesTimesAndBytes) {
  EXPECT_EQ(PercentText(830, 1000), "83%");
  EXPECT_EQ(PercentText(1, 0), "-");
  EXPECT_EQ(MicrosText(850), "850 us");
  EXPECT_EQ(MicrosText(12'340), "12.3 ms");
  EXPECT_EQ(MicrosText(3'210'000), "3.2 s");
  EXPECT_EQ(MicrosText(900'000'000), "15 min");
  EXPECT_EQ(SecondsText(45), "45 s");
  EXPECT_EQ(SecondsText(3 * 3600 + 5), "3 h");
  EXPECT_EQ(SecondsText(5 * 86400), "5 d");
  EXPECT_EQ(MemoryText(640'000'000), "640 MB");
  EXPECT_EQ(MemoryText(1'240'000'000), "1.2 GB");
}

}  // namespace
}  // namespace tributary
