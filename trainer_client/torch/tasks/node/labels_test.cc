#include "trainer_client/torch/tasks/node/labels.h"

#include <ATen/ATen.h>

#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int64_t> Classes(const at::Tensor& y) {
  const auto labels = ClassLabels(y);
  EXPECT_TRUE(labels.ok()) << labels.status();
  if (!labels.ok()) return {};
  EXPECT_EQ(labels->dim(), 1);
  const int64_t* data = labels->const_data_ptr<int64_t>();
  return {data, data + labels->numel()};
}

// -1 becomes NaN here, so that the rows can be compared.
std::vector<float> Floats(const at::Tensor& labels) {
  const at::Tensor flat = labels.nan_to_num(-1).contiguous().view({-1});
  const float* data = flat.const_data_ptr<float>();
  return {data, data + flat.numel()};
}

TEST(LabelsTest, ClassesOfEveryTypeAndShape) {
  const at::Tensor whole = at::tensor({2, 0, 1}, at::kLong);
  for (const at::ScalarType type :
       {at::kByte, at::kChar, at::kShort, at::kInt, at::kLong, at::kHalf,
        at::kBFloat16, at::kFloat, at::kDouble}) {
    const at::Tensor y = whole.to(type);
    EXPECT_THAT(Classes(y), ElementsAre(2, 0, 1)) << type;
    EXPECT_THAT(Classes(y.view({3, 1})), ElementsAre(2, 0, 1)) << type;
  }
  EXPECT_THAT(Classes(at::tensor({1, 0}, at::kLong).to(at::kBool)),
              ElementsAre(1, 0));
  EXPECT_THAT(Classes(at::empty({0}, at::kFloat)), ElementsAre());
  EXPECT_THAT(Classes(at::empty({0, 1}, at::kFloat)), ElementsAre());
}

// As ogbn-papers100M has them.
TEST(LabelsTest, MinusOneAndNanAreNoClass) {
  const at::Tensor y = at::tensor({3.0, double{NAN}, -1.0}).to(at::kFloat);
  EXPECT_THAT(Classes(y.view({3, 1})), ElementsAre(3, -1, -1));
  EXPECT_THAT(Classes(at::tensor({-1, 4}, at::kInt).to(at::kChar)),
              ElementsAre(-1, 4));
}

TEST(LabelsTest, ClassesAreWhole) {
  for (const double wrong : {0.5, double{INFINITY}, 1e300}) {
    const auto labels = ClassLabels(at::tensor({1.0, wrong}, at::kDouble));
    EXPECT_EQ(labels.status().code(), absl::StatusCode::kOutOfRange) << wrong;
    EXPECT_THAT(labels.status().message(), HasSubstr("whole numbers"));
  }
  const auto columns = ClassLabels(at::zeros({3, 2}));
  EXPECT_EQ(columns.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(columns.status().message(), HasSubstr("of 2 columns"));
}

TEST(LabelsTest, NumbersKeepMinusOne) {
  const at::Tensor y = at::tensor({-1.0, 2.5}, at::kDouble);
  EXPECT_THAT(Floats(NumberLabels(y, 1)), ElementsAre(-1, 2.5));
  EXPECT_EQ(NumberLabels(y, 1).sizes().vec(), (std::vector<int64_t>{2, 1}));
  EXPECT_TRUE(NumberLabels(at::tensor({double{NAN}}), 1).isnan().item<bool>());
}

TEST(LabelsTest, ZeroAndOneMayBeMissing) {
  const at::Tensor y = at::tensor({1, -1, 0, 1}, at::kInt).view({2, 2});
  for (const at::ScalarType type : {at::kChar, at::kLong, at::kFloat}) {
    const auto labels = ZeroOneLabels(y.to(type), 2);
    ASSERT_TRUE(labels.ok()) << labels.status();
    EXPECT_TRUE((*labels)[0][1].isnan().item<bool>());
    EXPECT_THAT(Floats(*labels), ElementsAre(1, -1, 0, 1));
  }
  const auto two = ZeroOneLabels(at::tensor({0, 2}, at::kLong), 1);
  EXPECT_EQ(two.status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(two.status().message(), HasSubstr("has the label 2; allowed"));
}

}  // namespace
}  // namespace tributary
