// Weights, times and masks in OGB's layout: the content, and errors.
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/pipeline/inputs/input.h"
#include "partition/pipeline/testing/ogb_folder.h"
#include "partition/writer/edge_columns.h"

namespace tributary {
namespace {

using testing::HasSubstr;

// Row i's weight and time are those of edges 2i and 2i + 1; the loop's too.
TEST_F(OgbTest, WeightsAndTimesFollowTheInputRow) {
  WriteGzip("raw/edge_weight.csv.gz", "0.5\n2\n-0\n");
  Write("raw/year.csv", " 2001\n+1e3\n-7.0\n");
  Write("raw/born.csv", "4\n3\n2\n1\n");
  const auto input = ReadInput({.folder = folder_.path(),
                                .add_reverse = true,
                                .edge_weight = "edge_weight",
                                .edge_time = "year",
                                .node_time = "born"});
  ASSERT_TRUE(input.ok()) << input.status();
  const EdgeContent& edges = input->content.edge_types[0];
  EXPECT_EQ(edges.weight->schema(), (ColumnSchema{DType::kFloat32, 0}));
  EXPECT_EQ(Values<float>(*edges.weight), (std::vector<float>{0.5, 2, 0}));
  EXPECT_EQ(Values<int64_t>(*edges.time),
            (std::vector<int64_t>{2001, 1000, -7}));
  EXPECT_EQ(Values<int64_t>(*input->content.node_types[0].time),
            (std::vector<int64_t>{4, 3, 2, 1}));
  std::vector<int64_t> times;  // into node 3: edges 4 and 5
  ReadTimes(edges, edges.in_edges.indptr()[3], edges.in_edges.indptr()[4],
            times);
  EXPECT_EQ(times, (std::vector<int64_t>{-7, -7}));
  std::vector<double> weights;  // into node 2: edge 3, of row 1
  ReadWeights(edges, edges.in_edges.indptr()[2], edges.in_edges.indptr()[3],
              weights);
  EXPECT_EQ(weights, std::vector<double>{2});
}

// Row i's value is that of edges 2i and 2i + 1, however it is written.
TEST_F(OgbTest, MasksFollowTheInputRow) {
  WriteGzip("raw/train_mask.csv.gz", "True\nfalse\n 1 \n");
  Write("raw/late.csv", "0.000e+00\n1.0\n0\n");
  const auto input = ReadInput({.folder = folder_.path(),
                                .add_reverse = true,
                                .edge_masks = {"train_mask", "late"}});
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_TRUE(CheckContent(input->content).ok());
  const auto& masks = input->content.edge_types[0].masks;
  ASSERT_EQ(masks.size(), 2);
  EXPECT_EQ(masks.at("late")->schema(), (ColumnSchema{DType::kBool, 0}));
  EXPECT_EQ(Values<uint8_t>(*masks.at("late")),
            (std::vector<uint8_t>{0, 1, 0}));
  EXPECT_EQ(Values<uint8_t>(*masks.at("train_mask")),
            (std::vector<uint8_t>{1, 0, 1}));
}

// Of parallel edges the lowest id is kept, with its row.
TEST_F(OgbTest, DedupeKeepsTheColumnsOfTheLowestId) {
  Write("raw/edge.csv", "0,1\n0,1\n0,1\n");
  Write("raw/w.csv", "5\n6\n7\n");
  Write("raw/m.csv", "1\n0\n0\n");
  const auto input = ReadInput({.folder = folder_.path(),
                                .dedupe = true,
                                .edge_weight = "w",
                                .edge_masks = {"m"}});
  ASSERT_TRUE(input.ok()) << input.status();
  const EdgeContent& edges = input->content.edge_types[0];
  const int64_t row = edges.AttrRow(0);
  uint8_t kept = 0;
  edges.masks.at("m")->CopyRows({&row, 1}, &kept);
  EXPECT_EQ(kept, 1);
  std::vector<double> weights;
  ReadWeights(input->content.edge_types[0], 0, 1, weights);
  EXPECT_EQ(input->content.edge_types[0].in_edges.num_edges(), 1);
  EXPECT_EQ(weights, std::vector<double>{5});
}

// One value that is not exact in float32 makes all of them float64.
TEST_F(OgbTest, WeightsAreFloat64WhereTheyMust) {
  Write("raw/w.csv", "0.5\n0.1\n1\n");
  const auto input = ReadInput({.folder = folder_.path(), .edge_weight = "w"});
  ASSERT_TRUE(input.ok()) << input.status();
  const RowSource& weights = *input->content.edge_types[0].weight;
  EXPECT_EQ(weights.schema(), (ColumnSchema{DType::kFloat64, 0}));
  EXPECT_EQ(Values<double>(weights), (std::vector<double>{0.5, 0.1, 1}));
  Write("raw/w.csv", "1e300\n0\n1\n");
  EXPECT_EQ(ReadInput({.folder = folder_.path(), .edge_weight = "w"})
                ->content.edge_types[0]
                .weight->schema()
                .dtype,
            DType::kFloat64);
}

TEST_F(OgbTest, NamedFilesThatAreWrongAreRefused) {
  const auto refused = [&](const InputOptions& options, absl::StatusCode code) {
    const absl::Status status = ReadInput(options).status();
    EXPECT_EQ(status.code(), code) << status;
    return std::string(status.message());
  };
  const auto invalid = absl::StatusCode::kInvalidArgument;
  InputOptions weight{.folder = folder_.path(), .edge_weight = "w"};
  EXPECT_THAT(refused(weight, absl::StatusCode::kNotFound),
              HasSubstr("raw/w.csv.gz (or .csv), which --edge-weight names"));
  for (const std::string cell : {"-1", "nan", "inf", "1e309", "x", "", "1,2"}) {
    Write("raw/w.csv", "1\n" + cell + "\n2\n");
    EXPECT_THAT(refused(weight, invalid), HasSubstr("w.csv line 2"));
  }
  Write("raw/w.csv", "1\n2\n");
  EXPECT_THAT(refused(weight, invalid), HasSubstr("has 2 rows; wanted: 3"));
  InputOptions time{.folder = folder_.path(), .node_time = "t"};
  for (const std::string cell :
       {"1.5", "nan", "9223372036854775808", "1e19", "noon"}) {
    Write("raw/t.csv", "1\n2\n3\n" + cell + "\n");
    EXPECT_THAT(refused(time, invalid), HasSubstr("t.csv line 4"));
    EXPECT_THAT(refused(time, invalid), HasSubstr("smaller unit"));
  }
  for (const std::string name : {"", "../w", "w.csv", "w.csv.gz"}) {
    weight.edge_weight = name;
    EXPECT_THAT(refused(weight, invalid), HasSubstr("--edge-weight \""));
  }
}

TEST_F(OgbTest, MasksThatAreWrongAreRefused) {
  InputOptions options{.folder = folder_.path(), .edge_masks = {"m"}};
  const auto refused = [&] {
    return std::string(ReadInput(options).status().message());
  };
  EXPECT_THAT(refused(),
              HasSubstr("m.csv.gz (or .csv), which --edge-masks names"));
  for (const std::string cell :
       {"2", "-1", "0.5", "yes", "nan", "", "1,0", "truee"}) {
    Write("raw/m.csv", "1\n" + cell + "\n0\n");
    EXPECT_THAT(refused(), HasSubstr("m.csv line 2"));
  }
  Write("raw/m.csv", "1\n2\n0\n");
  EXPECT_THAT(refused(), HasSubstr("\"2\"; allowed: a mask's value: 0 or 1, "
                                   "false or true"));
  Write("raw/m.csv", "1\n0\n");
  EXPECT_THAT(refused(), HasSubstr("has 2 rows; wanted: 3"));
  for (const std::string name : {"a b", "a=b", "m[0]", "a__b", "a;b", "a:b"}) {
    options.edge_masks = {name};
    EXPECT_THAT(refused(), HasSubstr("--edge-masks: '" + name + "' is no"));
  }
  options.edge_masks = {"m", "m"};
  EXPECT_THAT(refused(), HasSubstr("--edge-masks: mask 'm' is named twice"));
  for (const std::string name : {"", "m.csv", "../m"}) {
    options.edge_masks = {name};
    EXPECT_THAT(refused(), HasSubstr("--edge-masks \""));
  }
  options.edge_masks.assign(65, "m");
  EXPECT_THAT(refused(), HasSubstr("65 masks of edges; allowed: up to 64"));
}

}  // namespace
}  // namespace tributary
