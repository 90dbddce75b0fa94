#include "common/tensor/dtype.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

TEST(DType, CodesAndNamesAreOneToOne) {
  for (uint32_t code = 1; code <= 10; ++code) {
    const auto dtype = DTypeFromCode(code);
    ASSERT_TRUE(dtype.ok());
    EXPECT_EQ(static_cast<uint32_t>(*dtype), code);
    EXPECT_EQ(*DTypeFromName(DTypeName(*dtype)), *dtype);
    EXPECT_GT(DTypeSize(*dtype), 0u);
  }
}

TEST(DType, SizesAreThoseOfTheTypes) {
  EXPECT_EQ(DTypeSize(DType::kBFloat16), 2u);
  EXPECT_EQ(DTypeSize(DType::kFloat32), 4u);
  EXPECT_EQ(DTypeSize(DType::kInt64), 8u);
  EXPECT_EQ(DTypeSize(DType::kBool), 1u);
}

TEST(DType, UnknownOnesAreNamedInTheError) {
  EXPECT_THAT(std::string(DTypeFromCode(0).status().message()),
              testing::HasSubstr("dtype code 0"));
  EXPECT_THAT(std::string(DTypeFromCode(11).status().message()),
              testing::HasSubstr("allowed: 1 to 10"));
  EXPECT_THAT(std::string(DTypeFromName("float31").status().message()),
              testing::HasSubstr("'float31'"));
}

}  // namespace
}  // namespace tributary
