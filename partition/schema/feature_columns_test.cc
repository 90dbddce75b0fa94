#include "partition/schema/feature_columns.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Types 0: float32 [3], 1: int64 [2], 2: none; edges 0: float64, 1: int32.
GraphSchema Schema() {
  GraphSchema schema;
  schema.node_types.resize(3);
  schema.node_types[0].name = "paper";
  schema.node_types[0].x = ColumnSchema{DType::kFloat32, 3};
  schema.node_types[1].name = "word";
  schema.node_types[1].x = ColumnSchema{DType::kInt64, 2};
  schema.node_types[2].name = "year";
  schema.edge_types.resize(2);
  schema.edge_types[0].src = schema.edge_types[0].dst = "paper";
  schema.edge_types[0].rel = "cites";
  schema.edge_types[0].edge_attr = ColumnSchema{DType::kFloat64, 0};
  schema.edge_types[1].src = schema.edge_types[1].dst = "word";
  schema.edge_types[1].rel = "next";
  schema.edge_types[1].edge_attr = ColumnSchema{DType::kInt32, 1};
  return schema;
}

// A scaled column stands for float32 numbers.
TEST(FeatureRowBytes, OfScaledColumns) {
  const ColumnSchema scaled{DType::kInt8, 3, /*scaled=*/true};
  EXPECT_EQ(scaled.row_bytes(), 7u);
  EXPECT_EQ(scaled.array_shape(5), (std::vector<int64_t>{5}));
  EXPECT_EQ(FeatureRowBytes(scaled, FeatureDType::kStored), 12u);
  EXPECT_EQ(FeatureRowBytes(scaled, FeatureDType::kFloat16), 6u);
  EXPECT_EQ(FeatureRowBytes(scaled, FeatureDType::kInt8), 7u);
  EXPECT_EQ(InBatch(scaled, FeatureDType::kStored),
            (ColumnSchema{DType::kFloat32, 3}));
  EXPECT_EQ(InBatch(scaled, FeatureDType::kInt8),
            (ColumnSchema{DType::kInt8, 3}));
  EXPECT_TRUE(HasScale(scaled, FeatureDType::kInt8));
  EXPECT_FALSE(HasScale(scaled, FeatureDType::kStored));
}

TEST(FeatureRowBytes, OfFloatingColumnsAlone) {
  const GraphSchema schema = Schema();
  EXPECT_EQ(FeatureRowBytes(schema.node_types[0].x, FeatureDType::kStored),
            12u);
  EXPECT_EQ(FeatureRowBytes(schema.node_types[0].x, FeatureDType::kFloat16),
            6u);
  // Three values and a scale.
  EXPECT_EQ(FeatureRowBytes(schema.node_types[0].x, FeatureDType::kInt8), 7u);
  EXPECT_EQ(FeatureRowBytes(schema.node_types[1].x, FeatureDType::kFloat16),
            16u);
  EXPECT_EQ(FeatureRowBytes(schema.node_types[2].x, FeatureDType::kFloat16),
            0u);
  EXPECT_EQ(
      FeatureRowBytes(schema.edge_types[0].edge_attr, FeatureDType::kBFloat16),
      2u);
}

TEST(MayLeaveOutRows, OfSixteenBytesWithoutTimes) {
  NodeTypeSchema type = Schema().node_types[0];  // 12 bytes of x
  type.timed = true;
  using enum CollectedColumn;
  EXPECT_FALSE(MayLeaveOutRows(type, {kX}, FeatureDType::kStored));
  type.y = ColumnSchema{DType::kInt64, 0};
  EXPECT_TRUE(MayLeaveOutRows(type, {kX, kY}, FeatureDType::kStored));
  EXPECT_FALSE(MayLeaveOutRows(type, {kX, kY}, FeatureDType::kFloat16));
  EXPECT_FALSE(MayLeaveOutRows(type, {kX, kY, kTime}, FeatureDType::kStored));
  type.timed = false;
  EXPECT_TRUE(MayLeaveOutRows(type, {kX, kY, kTime}, FeatureDType::kStored));
}

TEST(CollectedRowBytes, OfStoredColumnsThatAreCollected) {
  NodeTypeSchema type = Schema().node_types[0];
  type.y = ColumnSchema{DType::kInt64, 0};
  type.timed = true;
  using enum CollectedColumn;
  const auto bytes = [&type](CollectedColumns collect) {
    return CollectedRowBytes(type, collect, FeatureDType::kInt8);
  };
  EXPECT_EQ(bytes({kX}), 7u);
  EXPECT_EQ(bytes({kX, kY, kEdgeAttr}), 15u);
  EXPECT_EQ(bytes({kX, kY, kTime}), 23u);
  EXPECT_EQ(bytes(CollectedColumns::None()), 0u);
  type.y.reset();
  type.timed = false;
  EXPECT_EQ(bytes({kX, kY, kTime}), 7u);
}

TEST(CheckFeatureDType, OneFloatingColumnIsEnough) {
  const GraphSchema schema = Schema();
  const auto asked = FeatureDType::kFloat16;
  EXPECT_TRUE(CheckFeatureDType(schema, {0, 1, 2}, {1}, asked).ok());
  EXPECT_TRUE(CheckFeatureDType(schema, {1}, {0}, asked).ok());
  EXPECT_TRUE(CheckFeatureDType(schema, {1}, {}, FeatureDType::kStored).ok());
}

TEST(CheckFeatureDType, NoneIsRefusedWithWhatIsStored) {
  const GraphSchema schema = Schema();
  const auto refusal = [&](std::vector<int> nodes, std::vector<int> edges) {
    const absl::Status status =
        CheckFeatureDType(schema, nodes, edges, FeatureDType::kBFloat16);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_THAT(refusal({1, 2}, {1}),
              AllOf(HasSubstr("feature_dtype: bfloat16"),
                    HasSubstr("x of word is int64, edge_attr of "
                              "word,next,word is int32"),
                    HasSubstr("allowed: stored, or columns of float16")));
  EXPECT_THAT(refusal({2}, {}), HasSubstr("there are none"));
}

}  // namespace
}  // namespace tributary
