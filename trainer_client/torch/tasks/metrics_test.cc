#include "trainer_client/torch/tasks/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "trainer_client/torch/tasks/input_order.h"

namespace tributary {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
using Floats = std::vector<float>;

void ExpectError(const absl::Status& status, absl::StatusCode code,
                 const std::string& text) {
  EXPECT_EQ(status.code(), code);
  EXPECT_NE(std::string(status.message()).find(text), std::string::npos)
      << status;
}

TEST(AccuracyTest, CountsLabelledRows) {
  EXPECT_EQ(*Accuracy({2, 0, -1, 1, 1}, {2, 1, 1, 1, 0}), 0.5);
  EXPECT_EQ(*Accuracy({3}, {3}), 1);
}

TEST(AccuracyTest, Errors) {
  ExpectError(Accuracy({1, 2}, {1}).status(),
              absl::StatusCode::kInvalidArgument, "2 labels and 1 predictions");
  ExpectError(Accuracy({-1}, {0}).status(),
              absl::StatusCode::kFailedPrecondition, "no row has a label");
}

// The examples of scikit-learn's f1_score: of the classes 0, 1 and 2 the first
// has a score of 2 * 2 / (2 * 2 + 1), the others 0.
TEST(F1Test, OfClasses) {
  const std::vector<int64_t> labels = {0, 1, -1, 2, 0, 1, 2};
  const std::vector<int64_t> predicted = {0, 2, 0, 1, 0, 0, 1};
  EXPECT_DOUBLE_EQ(*F1OfClasses(labels, predicted, F1Average::kMacro), 0.8 / 3);
  EXPECT_DOUBLE_EQ(*F1OfClasses(labels, predicted, F1Average::kMicro), 2.0 / 6);
  EXPECT_DOUBLE_EQ(*F1OfClasses(labels, predicted, F1Average::kMicro),
                   *Accuracy(labels, predicted));
  // A class that is only predicted counts as 0: that of class 0 is 2 / 3.
  EXPECT_DOUBLE_EQ(*F1OfClasses({0, 0}, {0, 5}, F1Average::kMacro), 1.0 / 3);
}

// Of the three columns the scores are 2 / 3, 1 and 2 / 3; of all together 4
// rows are true positives, 1 is a false positive and 1 a false negative.
TEST(F1Test, OfColumns) {
  const Floats labels = {0, 0,    0,  //
                         1, 1,    1,  //
                         0, 1,    1,  //
                         1, kNaN, 1};
  const Floats logits = {-1,   -0.5F, 0,      //
                         2,    0.1F,  3,      //
                         1,    2,     -0.1F,  //
                         kNaN, 7,     kNaN};
  const Floats three(labels.begin(), labels.begin() + 9);
  const Floats of_three(logits.begin(), logits.begin() + 9);
  EXPECT_DOUBLE_EQ(*F1OfColumns({3, three, of_three}, F1Average::kMacro),
                   7.0 / 9);
  EXPECT_DOUBLE_EQ(*F1OfColumns({3, three, of_three}, F1Average::kMicro), 0.8);
  ExpectError(F1OfColumns({3, labels, logits}, F1Average::kMicro).status(),
              absl::StatusCode::kInvalidArgument,
              "prediction of row 3, task 0 is NaN");
  // A column without labels is left out; one that has no positive and for which
  // none is predicted counts as 0.
  EXPECT_DOUBLE_EQ(*F1OfColumns({3, Floats{1, kNaN, 0}, Floats{1, 1, -1}},
                                F1Average::kMacro),
                   0.5);
}

TEST(F1Test, Errors) {
  ExpectError(F1OfClasses({1, 2}, {1}, F1Average::kMicro).status(),
              absl::StatusCode::kInvalidArgument, "2 labels and 1 predictions");
  ExpectError(F1OfClasses({-1}, {0}, F1Average::kMicro).status(),
              absl::StatusCode::kFailedPrecondition, "no row has a label");
  ExpectError(
      F1OfColumns({1, Floats{2}, Floats{1}}, F1Average::kMicro).status(),
      absl::StatusCode::kInvalidArgument, "label of row 0, task 0 is 2");
}

// Scores 0.9+ 0.8- 0.7+ 0.7- 0.1-: of the 6 pairs the first positive wins 3,
// the second wins 1 and ties 1.
TEST(RocAucTest, ByHand) {
  const Floats labels = {1, 0, 1, 0, 0};
  const Floats scores = {0.9F, 0.8F, 0.7F, 0.7F, 0.1F};
  EXPECT_DOUBLE_EQ(*RocAuc({1, labels, scores}), 4.5 / 6);
  const Floats same = {0.5F, 0.5F, 0.5F, 0.5F, 0.5F};
  EXPECT_DOUBLE_EQ(*RocAuc({1, labels, same}), 0.5);
}

// Task 0 is 1 (its NaN row would make it less), task 1 is 0, task 2 has one
// class only and is left out.
TEST(RocAucTest, MeanOverTasksThatAreDefined) {
  const Floats labels = {1,    0,    1,  //
                         0,    1,    1,  //
                         kNaN, 1,    1,  //
                         kNaN, kNaN, kNaN};
  const Floats scores = {3,    9,    1,  //
                         2,    1,    2,  //
                         5,    2,    3,  //
                         kNaN, kNaN, kNaN};
  EXPECT_DOUBLE_EQ(*RocAuc({3, labels, scores}), 0.5);
}

// The same scores as in RocAucTest.ByHand: recall gains 1/2 at precision 1,
// then 1/2 at precision 2/4.
TEST(AveragePrecisionTest, ByHand) {
  const Floats labels = {1, 0, 1, 0, 0};
  const Floats scores = {0.9F, 0.8F, 0.7F, 0.7F, 0.1F};
  EXPECT_DOUBLE_EQ(*AveragePrecision({1, labels, scores}), 0.75);
}

TEST(ErrorMetricsTest, ByHand) {
  const Floats labels = {1, 2, kNaN, 4};
  const Floats predictions = {2, 2, 100, 1};
  EXPECT_DOUBLE_EQ(*MeanAbsoluteError({1, labels, predictions}), 4.0 / 3);
  EXPECT_DOUBLE_EQ(*RootMeanSquaredError({1, labels, predictions}),
                   std::sqrt(10.0 / 3));
}

// As two tasks of two rows: errors 1 and none; 0 and 3.
TEST(ErrorMetricsTest, MeanOverTasks) {
  const Floats labels = {1, 2, kNaN, 4};
  const Floats predictions = {2, 2, 100, 1};
  EXPECT_DOUBLE_EQ(*MeanAbsoluteError({2, labels, predictions}), (1 + 1.5) / 2);
  EXPECT_DOUBLE_EQ(*RootMeanSquaredError({2, labels, predictions}),
                   (1 + std::sqrt(4.5)) / 2);
}

TEST(MetricsTest, Errors) {
  using Code = absl::StatusCode;
  const Floats two = {0, 1}, three = {0, 1, 0}, with_nan = {2, kNaN};
  ExpectError(RocAuc({1, two, three}).status(), Code::kInvalidArgument,
              "2 labels and 3 predictions");
  ExpectError(RocAuc({2, three, three}).status(), Code::kInvalidArgument,
              "of 2 tasks");
  ExpectError(MeanAbsoluteError({0, two, two}).status(), Code::kInvalidArgument,
              "num_tasks is 0");
  ExpectError(AveragePrecision({1, two, with_nan}).status(),
              Code::kInvalidArgument, "prediction of row 1, task 0 is NaN");
  const Floats four = {0, 1, 0, 2};
  ExpectError(RocAuc({2, four, four}).status(), Code::kInvalidArgument,
              "label of row 1, task 1 is 2");
  const Floats ones = {1, 1}, none = {kNaN, kNaN};
  ExpectError(RocAuc({1, ones, two}).status(), Code::kFailedPrecondition,
              "no task has rows labelled 0");
  ExpectError(AveragePrecision({1, none, two}).status(),
              Code::kFailedPrecondition, "no task has rows labelled 0");
  ExpectError(RootMeanSquaredError({1, none, two}).status(),
              Code::kFailedPrecondition, "no row has a label");
  ExpectError(MeanAbsoluteError({1, {}, {}}).status(),
              Code::kFailedPrecondition, "no row has a label");
}

// --- against the definitions, pair by pair -----------------------------------
struct RandomRows {
  Floats labels, scores;
};

// Few distinct scores, so that many are equal.
RandomRows MakeRows(std::mt19937& random) {
  RandomRows rows;
  const size_t n = 2 + random() % 12;
  for (size_t i = 0; i < n; ++i) {
    const auto label = random() % 5;
    rows.labels.push_back(label == 4 ? kNaN : static_cast<float>(label % 2));
    rows.scores.push_back(static_cast<float>(random() % 5) - 2);
  }
  return rows;
}

double AucByPairs(const RandomRows& rows) {
  double wins = 0, pairs = 0;
  for (size_t i = 0; i < rows.labels.size(); ++i) {
    for (size_t j = 0; j < rows.labels.size(); ++j) {
      if (rows.labels[i] != 1 || rows.labels[j] != 0) continue;
      ++pairs;
      if (rows.scores[i] > rows.scores[j]) wins += 1;
      if (rows.scores[i] == rows.scores[j]) wins += 0.5;
    }
  }
  return wins / pairs;  // NaN without a pair
}

// The mean over the positives of the precision among the rows that score at
// least as high.
double PrecisionByRows(const RandomRows& rows) {
  double sum = 0, positives = 0;
  for (size_t i = 0; i < rows.labels.size(); ++i) {
    if (rows.labels[i] != 1) continue;
    double hits = 0, taken = 0;
    for (size_t j = 0; j < rows.labels.size(); ++j) {
      if (std::isnan(rows.labels[j]) || rows.scores[j] < rows.scores[i]) {
        continue;
      }
      ++taken;
      hits += rows.labels[j];
    }
    ++positives;
    sum += hits / taken;
  }
  return sum / positives;
}

TEST(MetricsTest, EqualTheDefinitionsOnRandomRows) {
  std::mt19937 random(1);
  int defined = 0;
  for (int round = 0; round < 500; ++round) {
    const RandomRows rows = MakeRows(random);
    const double expected = AucByPairs(rows);
    const TaskScores scores{1, rows.labels, rows.scores};
    const auto auc = RocAuc(scores);
    ASSERT_EQ(auc.ok(), !std::isnan(expected)) << round;
    if (!auc.ok()) continue;
    ++defined;
    EXPECT_NEAR(*auc, expected, 1e-12) << round;
    EXPECT_NEAR(*AveragePrecision(scores), PrecisionByRows(rows), 1e-12)
        << round;
  }
  EXPECT_GT(defined, 300);
}

// Rows as they come from different numbers of ranks, put in order.
TEST(MetricsTest, AreBitEqualForAnyDealingOfTheRows) {
  constexpr size_t kRows = 1000;
  std::mt19937 random(2);
  std::vector<uint64_t> inputs(kRows);
  Floats labels(kRows), predictions(kRows);
  for (size_t i = 0; i < kRows; ++i) {
    inputs[i] = i;
    labels[i] = static_cast<float>(random()) * 1e-9F;
    predictions[i] = static_cast<float>(random()) * 1e-5F;
  }
  const double expected = *RootMeanSquaredError({1, labels, predictions});
  int differs_unsorted = 0;
  for (size_t world : {2, 3, 7}) {
    std::vector<uint64_t> dealt;
    for (size_t rank = 0; rank < world; ++rank) {
      for (size_t i = rank; i < kRows; i += world) dealt.push_back(i);
    }
    const std::vector<size_t> as_rows(dealt.begin(), dealt.end());
    const Floats l = InOrder<float>(labels, 1, as_rows);
    const Floats p = InOrder<float>(predictions, 1, as_rows);
    const auto order = *InputOrder(dealt);
    EXPECT_EQ(*RootMeanSquaredError({1, InOrder<float>(l, 1, order),
                                     InOrder<float>(p, 1, order)}),
              expected);
    differs_unsorted += *RootMeanSquaredError({1, l, p}) != expected ? 1 : 0;
  }
  EXPECT_GT(differs_unsorted, 0);  // otherwise this test would prove nothing
}

}  // namespace
}  // namespace tributary
