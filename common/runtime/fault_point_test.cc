#include "common/runtime/fault_point.h"

#include "gtest/gtest.h"

namespace tributary {
namespace {

TEST(FaultPointTest, IsOkUntilSetAndAfterwards) {
  EXPECT_TRUE(FaultPoint("here").ok());
  {
    int hits = 0;
    ScopedFault fault("here", [&hits] {
      return ++hits == 1 ? absl::OkStatus() : absl::DataLossError("second");
    });
    EXPECT_TRUE(FaultPoint("elsewhere").ok());
    EXPECT_TRUE(FaultPoint("here").ok());
    EXPECT_EQ(FaultPoint("here"), absl::DataLossError("second"));
    EXPECT_EQ(hits, 2);
  }
  EXPECT_TRUE(FaultPoint("here").ok());
}

}  // namespace
}  // namespace tributary
