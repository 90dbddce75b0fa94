#include "examples/baselines/edge_bank.h"

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "trainer_client/torch/tasks/link_metrics.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNan;

constexpr char kType[] = "node,to,node";

template <typename T>
TensorView View(DType dtype, Shape shape, const std::vector<T>& values) {
  return {"",
          dtype,
          std::move(shape),
          {reinterpret_cast<const uint8_t*>(values.data()),
           values.size() * sizeof(T)}};
}

// Links 0->1 at time 10 (tree of nodes 0, 1, 2) and 3->4 at time 20 (tree of 3,
// 4, 5), and the earlier edges that were sampled: 0->1 twice, 4->3, 3->5.
struct TwoLinks {
  std::vector<int64_t> input_id{7, 6};
  std::vector<int32_t> src{0, 0, 4, 3}, dst{1, 1, 3, 5};
  std::vector<int64_t> e_id{0, 2, 4, 6};
  std::vector<int32_t> src_index{0, 3}, dst_pos{1, 4}, dst_neg{2, 0, 5, 4};
  std::vector<int64_t> seed_time{10, 20};
  // Negatives 2->1, 3->5 and, of link 0 again, 0->2.
  std::vector<int32_t> ends{0, 3, 2, 3, 0, 1, 4, 1, 5, 2};
  std::vector<int64_t> label_time{10, 20, 10, 20, 10};

  HeteroBatch Batch(bool triplets) const {
    HeteroBatch batch;
    HeteroLinks& links = batch.links[kType];
    links.input_id = input_id;
    if (triplets) {
      links.src_index = View(DType::kInt32, {2}, src_index);
      links.dst_pos_index = View(DType::kInt32, {2}, dst_pos);
      links.dst_neg_index = View(DType::kInt32, {2, 2}, dst_neg);
      links.seed_time = View(DType::kInt64, {2}, seed_time);
    } else {
      links.edge_label_index = View(DType::kInt32, {2, 5}, ends);
      links.edge_label_time = View(DType::kInt64, {5}, label_time);
    }
    HeteroEdges& edges = batch.edges[kType];
    edges.src = src;
    edges.dst = dst;
    edges.e_id = e_id;
    return batch;
  }
};

EdgeBank Infinite(bool reverse_ids = false) {
  return EdgeBank({}, reverse_ids, {});
}

TEST(EdgeBankTest, TripletsHaveARowOfALinkAndItsNegatives) {
  TwoLinks two;
  two.dst_neg = {2, 1, 5, 3};
  PredictionRows rows;
  ASSERT_TRUE(Infinite().Predict(two.Batch(true), &rows).ok());
  EXPECT_EQ(rows.columns, 3);
  EXPECT_THAT(rows.input_numbers, ElementsAre(7, 6));
  EXPECT_THAT(rows.labels, ElementsAre(1, 0, 0, 1, 0, 0));
  // 0->1 was seen, 0->2 was not, 0->1 was (a negative that is an edge); 4->3 is
  // not 3->4, 3->5 was seen, 3->3 was not.
  EXPECT_THAT(rows.predictions, ElementsAre(1, 0, 1, 0, 1, 0));
}

TEST(EdgeBankTest, PairsHaveTheirNegativesInTheOrderOfTheLinks) {
  const TwoLinks two;
  PredictionRows rows;
  ASSERT_TRUE(Infinite().Predict(two.Batch(false), &rows).ok());
  EXPECT_EQ(rows.columns, 3);
  EXPECT_THAT(rows.labels, ElementsAre(1, 0, 0, 1, 0, IsNan()));
  EXPECT_THAT(rows.predictions, ElementsAre(1, 0, 0, 0, 1, IsNan()));
  // One of two links and one of three negatives: precision 1/2 at recall 1/2,
  // 2/5 at recall 1.
  EXPECT_DOUBLE_EQ(
      *MeasureLinks(Metric::kAveragePrecision, {.columns = rows.columns,
                                                .labels = rows.labels,
                                                .scores = rows.predictions}),
      0.5 * 0.5 + 0.5 * 0.4);
}

TEST(EdgeBankTest, ReversesAreNoEdges) {
  TwoLinks two;
  two.e_id = {0, 2, 4, 7};  // 3->5 is the reverse of edge 6
  PredictionRows rows;
  ASSERT_TRUE(Infinite(true).Predict(two.Batch(true), &rows).ok());
  EXPECT_THAT(rows.predictions, ElementsAre(1, 0, 0, 0, 0, 0));
}

TEST(EdgeBankTest, AWindowForgetsOldEdges) {
  const TwoLinks two;
  // Edges 0, 2, 4 and 6.
  const auto times = std::make_shared<const std::vector<int64_t>>(
      std::vector<int64_t>{1, 0, 6, 0, 3, 0, 15});
  const auto predict = [&](int64_t window) {
    PredictionRows rows;
    const absl::Status status =
        EdgeBank({.window = window}, false, {{kType, times}})
            .Predict(two.Batch(true), &rows);
    EXPECT_TRUE(status.ok()) << status;
    return rows.predictions;
  };
  // 0->1 is known for 10 - 6 = 4, 3->5 for 20 - 15 = 5.
  EXPECT_THAT(predict(3), ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(predict(4), ElementsAre(1, 0, 0, 0, 0, 0));
  EXPECT_THAT(predict(5), ElementsAre(1, 0, 0, 0, 1, 0));
  PredictionRows rows;
  EXPECT_EQ(
      EdgeBank({.window = 5}, false, {}).Predict(two.Batch(true), &rows).code(),
      absl::StatusCode::kOutOfRange);
}

TEST(EdgeBankTest, WhatItCannotReadIsRefused) {
  const TwoLinks two;
  PredictionRows rows;
  EXPECT_THAT(Infinite().Predict({}, &rows).message(), HasSubstr("no links"));
  HeteroBatch batch = two.Batch(true);
  batch.links[kType].seed_time.reset();
  EXPECT_THAT(Infinite().Predict(batch, &rows).message(),
              HasSubstr("no times"));
  batch = two.Batch(false);
  const std::vector<int32_t> ends{0, 3, 1, 4};
  batch.links[kType].edge_label_index = View(DType::kInt32, {2, 2}, ends);
  EXPECT_THAT(Infinite().Predict(batch, &rows).message(),
              HasSubstr("no negatives"));
}

}  // namespace
}  // namespace tributary
