// How large the rates are depends on the machine.
#include "benchmarks/lib/measure/memory_bandwidth.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(MemoryBandwidthTest, OneLineIsEnough) {
  EXPECT_GT(MeasureRandomLineRate(2, 1, absl::Milliseconds(1)).per_second, 0);
  EXPECT_GT(MeasureMemcpyRate(2, absl::Milliseconds(1)).per_second, 0);
}

}  // namespace
}  // namespace tributary
