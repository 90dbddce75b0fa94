#include "trainer_client/torch/tasks/node/node_task.h"

#include <ATen/ATen.h>

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;

// A batch whose inputs are the rows of `y`, in order.
MiniBatch BatchOf(const at::Tensor& y) {
  MiniBatch batch;
  batch.y = y;
  batch.seed_index = at::arange(y.size(0), at::kInt);
  batch.input_id = at::arange(y.size(0), at::kLong);
  return batch;
}

const float kNan = NAN;

// Of four labels two are there, so the sums run over these alone. With -1 and
// NaN counted as 0, each missing one added log 2 and 4.
TEST(NodeTaskTest, MissingLabelsOfColumnsDoNotCount) {
  const TypeTensors zeros = {at::zeros({2, 2})};
  const at::Tensor y = at::tensor({1.0F, kNan, -1.0F, 0.0F}).view({2, 2});
  auto task = MakeNodeTask({.kind = NodeTaskKind::kMultiLabel,
                            .metric = Metric::kRocAuc,
                            .columns = 2});
  Tally tally;
  auto loss = task->Loss(BatchOf(y), zeros, &tally);
  ASSERT_TRUE(loss.ok()) << loss.status();
  // Two labels of log 2 each, over two columns.
  EXPECT_NEAR(loss->item<double>(), std::log(2.0), 1e-6);
  EXPECT_EQ(tally.labelled, 2);

  task = MakeNodeTask({.kind = NodeTaskKind::kRegression,
                       .metric = Metric::kRmse,
                       .columns = 2});
  const TypeTensors twos = {at::full({2, 2}, 2.0)};
  const at::Tensor numbers = at::tensor({3.0F, kNan, kNan, kNan}).view({2, 2});
  tally = {};
  loss = task->Loss(BatchOf(numbers), twos, &tally);
  ASSERT_TRUE(loss.ok()) << loss.status();
  EXPECT_NEAR(loss->item<double>(), 0.5, 1e-6);
  EXPECT_EQ(tally.labelled, 1);
  EXPECT_EQ(tally.inputs, 2);
}

TEST(NodeTaskTest, MissingLabelsHaveNoGradient) {
  for (const NodeTaskKind kind :
       {NodeTaskKind::kMultiLabel, NodeTaskKind::kRegression}) {
    auto task =
        MakeNodeTask({.kind = kind, .metric = Metric::kRocAuc, .columns = 1});
    const at::Tensor out = at::full({2, 1}, 0.7).requires_grad_();
    Tally tally;
    const auto loss =
        task->Loss(BatchOf(at::tensor({kNan, 1.0F})), {out}, &tally);
    ASSERT_TRUE(loss.ok()) << loss.status();
    loss->backward();
    EXPECT_EQ(out.grad()[0][0].item<float>(), 0);
    EXPECT_NE(out.grad()[1][0].item<float>(), 0);
  }
}

TEST(NodeTaskTest, MissingLabelsAreNotMeasured) {
  auto task = MakeNodeTask({.kind = NodeTaskKind::kMultiLabel,
                            .metric = Metric::kRocAuc,
                            .columns = 1});
  PredictionRows rows;
  ASSERT_TRUE(task->Predict(BatchOf(at::tensor({kNan, -1.0F, 1.0F})),
                            {at::zeros({3, 1})}, &rows)
                  .ok());
  EXPECT_TRUE(std::isnan(rows.labels[0]));
  EXPECT_TRUE(std::isnan(rows.labels[1]));
  EXPECT_EQ(rows.labels[2], 1);
}

TEST(NodeTaskTest, FloatClassesWithNan) {
  auto task = MakeNodeTask({.num_classes = 2});
  const at::Tensor logits = at::tensor({0.0F, 1.0F, 0.0F, 1.0F}).view({2, 2});
  Tally tally;
  const auto loss = task->Loss(BatchOf(at::tensor({1.0F, kNan}).view({2, 1})),
                               {logits}, &tally);
  ASSERT_TRUE(loss.ok()) << loss.status();
  EXPECT_NEAR(loss->item<double>(), std::log1p(std::exp(-1.0)), 1e-6);
  EXPECT_EQ(tally.correct, 1);
  EXPECT_EQ(tally.labelled, 1);
}

TEST(NodeTaskTest, OtherClassesAreCounted) {
  const at::Tensor y = at::tensor({0, 1, 2, -1, -2}, at::kLong);
  const TypeTensors out = {at::zeros({5, 2})};
  PredictionRows rows;
  auto task = MakeNodeTask({.num_classes = 2});
  ASSERT_TRUE(task->Predict(BatchOf(y), out, &rows).ok());
  EXPECT_EQ(rows.other_classes, 2);
  EXPECT_THAT(rows.labels, ElementsAre(0, 1, 2, -1, -2));
  rows = {};
  task = MakeNodeTask({.metric = Metric::kRocAuc, .num_classes = 2});
  ASSERT_TRUE(task->Predict(BatchOf(y), out, &rows).ok());
  EXPECT_EQ(rows.other_classes, 2);
  EXPECT_EQ(rows.labels[1], 1);
  for (size_t i = 2; i < 5; ++i) EXPECT_TRUE(std::isnan(rows.labels[i])) << i;
}

}  // namespace
}  // namespace tributary
