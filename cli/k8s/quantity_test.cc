#include "cli/k8s/quantity.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(Quantity, ReadsBytes) {
  EXPECT_EQ(BytesOfQuantity("4096"), 4096u);
  EXPECT_EQ(BytesOfQuantity("512Mi"), 536870912u);
  EXPECT_EQ(BytesOfQuantity("1.5G"), 1500000000u);
  EXPECT_EQ(BytesOfQuantity("2Ti"), 2199023255552u);
  for (const char* wrong : {"", "Gi", "-1Gi", "1 Gi", "1GB", "1e3", ".5Gi",
                            "1.Gi", "1.2.3Gi", "9999999999Gi", "inf"}) {
    EXPECT_FALSE(BytesOfQuantity(wrong).has_value()) << wrong;
  }
}

TEST(Quantity, RoundsCoresUp) {
  EXPECT_EQ(CoresOfQuantity("2"), 2u);
  EXPECT_EQ(CoresOfQuantity("0.5"), 1u);
  EXPECT_EQ(CoresOfQuantity("1500m"), 2u);
  for (const char* wrong : {"", "0", "0m", "2000", "-1", "1u", "m", "2 "}) {
    EXPECT_FALSE(CoresOfQuantity(wrong).has_value()) << wrong;
  }
}

TEST(Quantity, WritesWholeGibibytes) {
  EXPECT_EQ(GibibytesFor(1), "1Gi");
  EXPECT_EQ(GibibytesFor(uint64_t{1} << 30), "1Gi");
  EXPECT_EQ(GibibytesFor((uint64_t{1} << 30) + 1), "2Gi");
}

}  // namespace
}  // namespace tributary
