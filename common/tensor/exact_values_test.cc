#include "common/tensor/exact_values.h"

#include <cmath>
#include <limits>
#include <vector>

#include "common/tensor/npy_vector.h"
#include "common/tensor/user_npy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr size_t kAll = 1000;

// Returns the index of the first value that is lost; kAll: none. Expects the
// values before it.
template <typename To, typename From>
size_t Lost(NpyType type, DType to, const std::vector<From>& from,
            const std::vector<To>& want) {
  const ExactConversion convert = AnyExactConversion(type, to);
  std::vector<To> got(from.size());
  const auto bad = convert(reinterpret_cast<const uint8_t*>(from.data()),
                           from.size(), reinterpret_cast<uint8_t*>(got.data()));
  got.resize(bad.value_or(from.size()));
  EXPECT_EQ(got, want);
  return bad.value_or(kAll);
}

TEST(ExactValuesTest, FloatsThatAreWholeBecomeInt64) {
  const double nan = std::nan("");
  EXPECT_EQ(
      (Lost<int64_t, double>({'f', 8}, DType::kInt64,
                             {-0.0, 7, -0x1p63, 0x1p63}, {0, 7, INT64_MIN})),
      3);
  EXPECT_EQ((Lost<int64_t, double>({'f', 8}, DType::kInt64, {1, 1.5, 2}, {1})),
            1);
  EXPECT_EQ((Lost<int64_t, double>({'f', 8}, DType::kInt64, {nan}, {})), 0);
  EXPECT_EQ((Lost<int64_t, float>({'f', 4}, DType::kInt64, {0x1p62F, INFINITY},
                                  {int64_t{1} << 62})),
            1);
}

TEST(ExactValuesTest, WholeNumbersBecomeFloatsThatHoldThem) {
  EXPECT_EQ((Lost<float, int32_t>({'i', 4}, DType::kFloat32,
                                  {-1, 1 << 24, (1 << 24) + 1}, {-1, 0x1p24F})),
            2);
  EXPECT_EQ((Lost<double, int64_t>({'i', 8}, DType::kFloat64,
                                   {INT64_MIN, int64_t{1} << 53, INT64_MAX},
                                   {-0x1p63, 0x1p53})),
            2);
  EXPECT_EQ((Lost<double, uint64_t>({'u', 8}, DType::kFloat64,
                                    {uint64_t{1} << 63, UINT64_MAX}, {0x1p63})),
            1);
  EXPECT_EQ((Lost<float, uint8_t>({'b', 1}, DType::kFloat32, {0, 1}, {0, 1})),
            kAll);
}

// Values of the formats' definitions: 1, -2, the least and the largest number.
TEST(ExactValuesTest, FloatsOf16BitsBecomeFloat32) {
  EXPECT_EQ(
      (Lost<float, uint16_t>({'f', 2}, DType::kFloat32,
                             {0x3c00, 0xc000, 0x0001, 0x7bff, 0x7c00, 0x8000},
                             {1, -2, 0x1p-24F, 65504, INFINITY, 0})),
      kAll);
  EXPECT_EQ((Lost<float, uint16_t>({'V', 2}, DType::kFloat32,
                                   {0x3f80, 0xc000, 0x0001, 0x7f80},
                                   {1, -2, 0x1p-133F, INFINITY})),
            kAll);
  EXPECT_EQ(
      (Lost<int64_t, uint16_t>({'f', 2}, DType::kInt64, {0x3c00, 0x7e00}, {1})),
      1);  // NaN
}

TEST(ExactValuesTest, MasksAreZeroAndOne) {
  EXPECT_EQ((Lost<uint8_t, float>({'f', 4}, DType::kBool, {0, 1, 0.5}, {0, 1})),
            2);
  EXPECT_EQ((Lost<uint8_t, int64_t>({'i', 8}, DType::kBool, {1, -1}, {1})), 1);
}

TEST(ExactValuesTest, IdsAndTimesKeepTheirKinds) {
  EXPECT_EQ(WholeConversion({'f', 8}, DType::kInt64), nullptr);
  EXPECT_EQ(WholeConversion({'i', 4}, DType::kFloat32), nullptr);
  EXPECT_EQ(AnyExactConversion({'f', 8}, DType::kFloat32), nullptr);
  EXPECT_NE(WholeConversion({'f', 4}, DType::kFloat64), nullptr);
  EXPECT_NE(WholeConversion({'u', 8}, DType::kInt64), nullptr);
}

std::string WithDescr(const std::string& descr, const std::string& order) {
  std::string dict = "{'descr': " + descr + ", 'fortran_order': " + order +
                     ", 'shape': (2, 3), }\n";
  std::string text("\x93NUMPY\x01\x00", 8);
  text += {static_cast<char>(dict.size()), 0};
  return text + dict;
}

absl::StatusOr<UserNpyHeader> Parse(const std::string& text) {
  return ParseUserNpyHeader(
      {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

TEST(UserNpyHeaderTest, ReadsFortranOrderAndDates) {
  const auto fortran = Parse(WithDescr("'<f4'", "True"));
  ASSERT_TRUE(fortran.ok()) << fortran.status();
  EXPECT_TRUE(fortran->fortran_order);
  EXPECT_THAT(fortran->shape, ElementsAre(2, 3));
  const auto date = Parse(WithDescr("'<M8[ns]'", "False"));
  ASSERT_TRUE(date.ok()) << date.status();
  EXPECT_FALSE(date->fortran_order);
  EXPECT_EQ(date->type.kind, 'M');
  EXPECT_EQ(date->data_bytes(), 48);
  EXPECT_FALSE(date->type == Parse(WithDescr("'<M8[s]'", "False"))->type);
}

TEST(UserNpyHeaderTest, NamesTheCallThatHelps) {
  for (const auto& [descr, help] :
       {std::pair("'>i8'", "a.astype(a.dtype.newbyteorder(\"<\"))"),
        std::pair("'|O'", "a.astype(np.int64)"),
        std::pair("'<U5'", "elements are '<U5'"),
        std::pair("'<c8'", "a.astype(np.float32)"),
        std::pair("'<M8'", "datetime64 with a unit"),
        std::pair("'<M8[25us7]'", "datetime64 with a unit")}) {
    const absl::Status status = Parse(WithDescr(descr, "False")).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << descr;
    EXPECT_THAT(status.message(), HasSubstr(help)) << descr;
  }
  EXPECT_EQ(Parse(WithDescr("'<i8'", "Maybe")).status().code(),
            absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace tributary
