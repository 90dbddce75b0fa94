#include "common/tensor/value_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tributary {
namespace {

using ::testing::ElementsAre;

TEST(ValueBytes, AreLittleEndian) {
  const std::vector<int32_t> values = {1, -256};
  EXPECT_THAT(ValueBytes(values), ElementsAre(1, 0, 0, 0, 0, 255, 255, 255));
  EXPECT_THAT(ValueBytes(absl::MakeConstSpan(values).subspan(1)),
              ElementsAre(0, 255, 255, 255));
  EXPECT_THAT(ValueBytes(std::vector<float>{1}), ElementsAre(0, 0, 128, 63));
  EXPECT_TRUE(ValueBytes(std::vector<double>()).empty());
}

}  // namespace
}  // namespace tributary
