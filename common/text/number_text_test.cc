#include "common/text/number_text.h"

#include <gtest/gtest.h>

#include <limits>

#include "common/text/parse_number.h"

namespace tributary {
namespace {

TEST(NumberTextTest, IsShortAndReadsBack) {
  EXPECT_EQ(NumberText(0), "0");
  EXPECT_EQ(NumberText(2), "2");
  EXPECT_EQ(NumberText(0.0001), "0.0001");
  EXPECT_EQ(NumberText(-0.15), "-0.15");
  EXPECT_EQ(NumberText(999999999999999), "999999999999999");
  EXPECT_EQ(NumberText(1e15), "1e+15");
  EXPECT_EQ(NumberText(1e-6), "0.000001");
  EXPECT_EQ(NumberText(5e-7), "5e-07");
  for (const double number :
       {0.1 + 0.2, 1.0 / 3, 1e300, std::numeric_limits<double>::denorm_min(),
        std::numeric_limits<double>::max(), 999999999999999.9, 1.5e-6}) {
    EXPECT_EQ(ParseNumber<double>(NumberText(number)), number);
  }
}

}  // namespace
}  // namespace tributary
