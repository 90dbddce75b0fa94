#include "common/session/feature_dtype.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

TEST(FeatureDType, NamesAndCodesAreThoseOfDTypes) {
  for (const char* name : {"float16", "bfloat16", "int8"}) {
    const auto dtype = FeatureDTypeFromName(name);
    ASSERT_TRUE(dtype.ok()) << dtype.status();
    EXPECT_EQ(FeatureDTypeName(*dtype), name);
    EXPECT_EQ(static_cast<DType>(*dtype), *DTypeFromName(name));
    EXPECT_EQ(*FeatureDTypeFromCode(static_cast<uint32_t>(*dtype)), *dtype);
  }
  EXPECT_EQ(*FeatureDTypeFromName("stored"), FeatureDType::kStored);
  EXPECT_EQ(*FeatureDTypeFromCode(0), FeatureDType::kStored);
}

TEST(FeatureDType, RefusalsSayWhatIsAllowed) {
  for (const char* name : {"half", "float32", "", "Float16", "fp16"}) {
    const absl::Status status = FeatureDTypeFromName(name).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("allowed: stored, float16, bfloat16, int8"));
  }
  for (const uint32_t code : {1u, 8u, 11u, 262u}) {
    EXPECT_THAT(std::string(FeatureDTypeFromCode(code).status().message()),
                HasSubstr("feature_dtype: code"));
  }
}

TEST(FeatureDType, WholeNumbersStayWhatTheyAre) {
  for (const DType stored :
       {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64}) {
    EXPECT_TRUE(IsFloating(stored));
    EXPECT_EQ(DTypeInBatch(stored, FeatureDType::kFloat16), DType::kFloat16);
    EXPECT_EQ(DTypeInBatch(stored, FeatureDType::kBFloat16), DType::kBFloat16);
    EXPECT_EQ(DTypeInBatch(stored, FeatureDType::kStored), stored);
    EXPECT_EQ(DTypeInBatch(stored, FeatureDType::kInt8), DType::kInt8);
    EXPECT_TRUE(HasScale(stored, FeatureDType::kInt8));
    EXPECT_FALSE(HasScale(stored, FeatureDType::kFloat16));
  }
  for (const DType stored : {DType::kUint8, DType::kInt8, DType::kInt16,
                             DType::kInt32, DType::kInt64, DType::kBool}) {
    EXPECT_FALSE(IsFloating(stored));
    EXPECT_EQ(DTypeInBatch(stored, FeatureDType::kFloat16), stored);
    EXPECT_EQ(DTypeInBatch(stored, FeatureDType::kInt8), stored);
    EXPECT_FALSE(HasScale(stored, FeatureDType::kInt8));
  }
}

}  // namespace
}  // namespace tributary
