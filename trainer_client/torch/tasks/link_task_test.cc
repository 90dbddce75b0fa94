#include "trainer_client/torch/tasks/link_task.h"

#include <ATen/ATen.h>

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "trainer_client/torch/tasks/link_decoder.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
// The binary cross entropy of a link and of a negative.
double Link(double score) { return -std::log(Sigmoid(score)); }
double Negative(double score) { return -std::log(Sigmoid(-score)); }

TypeTable OneType() {
  return {.node_types = {"node"},
          .relations = {{"node,to,node", 0, 0}},
          .feature_dim = {0},
          .num_nodes = {10}};
}

// Users and items with two relations of their own.
TypeTable TwoTypes() {
  return {.node_types = {"item", "user"},
          .relations = {{"user,buys,item", 1, 0}, {"user,knows,user", 1, 1}},
          .feature_dim = {0, 0},
          .num_nodes = {10, 10}};
}

at::Tensor Whole(std::vector<int64_t> values) { return at::tensor(values); }

// The rows 0: (1, 2), 1: (3, -1), 2: (0, 1).
at::Tensor ThreeRows() {
  return at::tensor(std::vector<float>{1, 2, 3, -1, 0, 1})
      .view({3, 2})
      .requires_grad_();
}

// Links 0-1 (dot 1) and 0-2 (dot 2), and a negative 1-2 (dot -1).
MiniBatch PairsBatch() {
  MiniBatch batch;
  batch.links.push_back(
      {.relation = 0,
       .input_id = Whole({7, 3}),
       .edge_label_index = Whole({0, 0, 1, 1, 2, 2}).view({2, 3}),
       .edge_label = at::tensor(std::vector<float>{1, 1, 0})});
  return batch;
}

// The link 0-1 (dot 1) with negatives 0-2 (dot 2) and 0-0 (dot 5).
MiniBatch TripletBatch() {
  MiniBatch batch;
  batch.links.push_back({.relation = 0,
                         .input_id = Whole({4}),
                         .src_index = Whole({0}),
                         .dst_pos_index = Whole({1}),
                         .dst_neg_index = Whole({2, 0}).view({1, 2})});
  return batch;
}

std::unique_ptr<TrainingTask> Task(LinkDecoder decoder,
                                   const TypeTable& types = OneType(),
                                   std::vector<std::string> edge_types = {}) {
  auto task = MakeLinkTask(
      {.decoder = decoder, .edge_types = std::move(edge_types), .channels = 2},
      types, 5);
  EXPECT_TRUE(task.ok()) << task.status();
  return *std::move(task);
}

at::Tensor Parameter(TrainingTask& task, const std::string& name) {
  return task.decoder()->named_parameters()[name];
}

void Fill(at::Tensor parameter, std::vector<float> values) {
  parameter.detach().copy_(at::tensor(values).view(parameter.sizes()));
}

TEST(LinkTaskTest, BinaryLossIsTheMeanOverLinksAndNegativesPerLink) {
  const auto task = Task(LinkDecoder::kDot);
  const at::Tensor rows = ThreeRows();
  Tally tally;
  const auto loss = task->Loss(PairsBatch(), {rows}, &tally);
  ASSERT_TRUE(loss.ok()) << loss.status();
  // Divided by 1 + 1/2 negatives per link.
  const double expected = (Link(1) + Link(2) + Negative(-1)) / 1.5;
  EXPECT_NEAR(loss->item<double>(), expected, 1e-6);
  EXPECT_NEAR(tally.loss, expected, 1e-6);
  EXPECT_EQ(tally.inputs, 2);
  EXPECT_EQ(tally.labelled, 2);
  // d/d score is (sigmoid - label) / 1.5; d score / d row is the other row.
  loss->backward();
  const double a = (Sigmoid(1) - 1) / 1.5, b = (Sigmoid(2) - 1) / 1.5,
               c = Sigmoid(-1) / 1.5;
  const at::Tensor grad = rows.grad();
  EXPECT_NEAR(grad[0][0].item<double>(), a * 3 + b * 0, 1e-6);
  EXPECT_NEAR(grad[0][1].item<double>(), a * -1 + b * 1, 1e-6);
  EXPECT_NEAR(grad[1][0].item<double>(), a * 1 + c * 0, 1e-6);
  EXPECT_NEAR(grad[1][1].item<double>(), a * 2 + c * 1, 1e-6);
  EXPECT_NEAR(grad[2][0].item<double>(), b * 1 + c * 3, 1e-6);
  EXPECT_NEAR(grad[2][1].item<double>(), b * 2 + c * -1, 1e-6);
}

// The products of the rows: 0.0 = 5, 0.1 = 1, 0.2 = 2, 1.1 = 10, 1.2 = -1, 2.2
// = 1.
TEST(LinkTaskTest, SoftmaxLossIsAmongAllRowsOfTheBatchAsEitherEnd) {
  const auto lse = [](double a, double b, double c) {
    return std::log(std::exp(a) + std::exp(b) + std::exp(c));
  };
  const LinkTaskOptions options{
      .decoder = LinkDecoder::kDot, .loss = LinkLoss::kSoftmax, .channels = 2};
  const auto task = *MakeLinkTask(options, OneType(), 5);
  Tally tally;
  const auto loss = task->Loss(PairsBatch(), {ThreeRows()}, &tally);
  ASSERT_TRUE(loss.ok()) << loss.status();
  // 0-1: 1 given 0, 0 given 1; 0-2: 2 given 0, 0 given 2.
  EXPECT_NEAR(loss->item<double>(),
              (lse(5, 1, 2) - 1 + lse(1, 10, -1) - 1 + lse(5, 1, 2) - 2 +
               lse(2, -1, 1) - 2) /
                  2,
              1e-5);
  EXPECT_EQ(tally.inputs, 2);
  // A triplet 0-1: its negatives are candidates as all rows are.
  const auto triplet = task->Loss(TripletBatch(), {ThreeRows()}, &tally);
  ASSERT_TRUE(triplet.ok()) << triplet.status();
  EXPECT_NEAR(triplet->item<double>(),
              (lse(5, 1, 2) - 1 + lse(1, 10, -1) - 1) / 2, 1e-5);
}

TEST(LinkTaskTest, CandidatesAreScoredAsLinksAre) {
  for (const LinkDecoder decoder :
       {LinkDecoder::kDot, LinkDecoder::kDistMult, LinkDecoder::kMlp}) {
    const LinkTaskOptions options{
        .decoder = decoder,
        .edge_types = {"user,knows,user", "user,buys,item"},
        .channels = 2};
    const auto scorer = *MakeLinkScorer(options, TwoTypes(), 5);
    const auto task = *MakeLinkTask(options, TwoTypes(), 5);
    // Users (1, 2), (3, -1), (0, 1); items (2, 2), (-1, 3).
    const EntityRows rows{.channels = 2,
                          .num_nodes = {2, 3},
                          .by_type = {{2, 2, -1, 3}, {1, 2, 3, -1, 0, 1}}};
    const auto candidates = task->Candidates(rows);
    std::vector<float> scores(4);
    const std::vector<int64_t> given{2, 1};
    ASSERT_TRUE(
        candidates
            ->Score(0, LinkEnd::kDestination, given, absl::MakeSpan(scores))
            .ok());
    const auto row = [](float a, float b) {
      return at::tensor(std::vector<float>{a, b});
    };
    const auto score = [&](at::Tensor user, at::Tensor item) {
      return scorer->Score(0, user, item, 0).item<float>();
    };
    EXPECT_NEAR(scores[0], score(row(0, 1), row(2, 2)), 1e-6);
    EXPECT_NEAR(scores[1], score(row(0, 1), row(-1, 3)), 1e-6);
    EXPECT_NEAR(scores[2], score(row(3, -1), row(2, 2)), 1e-6);
    EXPECT_NEAR(scores[3], score(row(3, -1), row(-1, 3)), 1e-6);
    scores.resize(3);
    ASSERT_TRUE(candidates
                    ->Score(0, LinkEnd::kSource, {std::vector<int64_t>{1}},
                            absl::MakeSpan(scores))
                    .ok());
    EXPECT_NEAR(scores[1], score(row(3, -1), row(-1, 3)), 1e-6);
  }
}

// More candidates than a thread scores at a time (2048), and more products
// than the MLP's 2^22 values.
TEST(LinkTaskTest, CandidatesOfManyPiecesAreScoredAsLinksAre) {
  constexpr int64_t kItems = 4100, kUsers = 300, kChannels = 8;
  const TypeTable types = {.node_types = {"item", "user"},
                           .relations = {{"user,buys,item", 1, 0}},
                           .feature_dim = {0, 0},
                           .num_nodes = {kItems, kUsers}};
  EntityRows rows{.channels = kChannels, .num_nodes = {kItems, kUsers}};
  rows.by_type = {std::vector<float>(kItems * kChannels),
                  std::vector<float>(kUsers * kChannels)};
  for (std::vector<float>& of_type : rows.by_type) {
    for (size_t i = 0; i < of_type.size(); ++i) {
      of_type[i] = static_cast<float>(i * 37 % 101) / 50 - 1;
    }
  }
  const auto item = at::from_blob(rows.by_type[0].data(), {kItems, kChannels});
  const auto user = at::from_blob(rows.by_type[1].data(), {kUsers, kChannels});
  std::vector<int64_t> given;
  for (int64_t i = 0; i < kUsers; ++i) given.push_back(i * 7 % kUsers);
  for (const LinkDecoder decoder :
       {LinkDecoder::kDot, LinkDecoder::kDistMult, LinkDecoder::kMlp}) {
    const LinkTaskOptions options{.decoder = decoder,
                                  .edge_types = {"user,buys,item"},
                                  .channels = kChannels};
    const auto scorer = *MakeLinkScorer(options, types, 5);
    const auto task = *MakeLinkTask(options, types, 5);
    std::vector<float> scores(kUsers * kItems);
    ASSERT_TRUE(
        task->Candidates(rows)
            ->Score(0, LinkEnd::kDestination, given, absl::MakeSpan(scores))
            .ok());
    const auto found = at::from_blob(scores.data(), {kUsers, kItems});
    for (int64_t i = 0; i < kUsers; ++i) {
      const at::Tensor pairs =
          scorer->Score(0, user[given[i]].expand({kItems, kChannels}), item, 0);
      ASSERT_TRUE(at::allclose(found[i], pairs, 1e-4, 1e-5)) << i;
    }
  }
}

TEST(LinkTaskTest, TripletLossIsBpr) {
  const auto task = Task(LinkDecoder::kDot);
  const at::Tensor rows = ThreeRows();
  Tally tally;
  const auto loss = task->Loss(TripletBatch(), {rows}, &tally);
  ASSERT_TRUE(loss.ok()) << loss.status();
  EXPECT_NEAR(loss->item<double>(), (Link(1 - 2) + Link(1 - 5)) / 2, 1e-6);
  EXPECT_EQ(tally.inputs, 1);
  // The scores' gradients: g of the link, -g2 and -g0 of the negatives.
  loss->backward();
  const double g2 = (Sigmoid(-1) - 1) / 2, g0 = (Sigmoid(-4) - 1) / 2;
  const at::Tensor grad = rows.grad();
  EXPECT_NEAR(grad[1][0].item<double>(), (g2 + g0) * 1, 1e-6);
  EXPECT_NEAR(grad[1][1].item<double>(), (g2 + g0) * 2, 1e-6);
  EXPECT_NEAR(grad[2][0].item<double>(), -g2 * 1, 1e-6);
  // Row 0: of the link 3, of 0-2 0, of 0-0 twice 1.
  EXPECT_NEAR(grad[0][0].item<double>(), (g2 + g0) * 3 - g0 * 2 * 1, 1e-5);
}

TEST(LinkTaskTest, DistMultHasAVectorForEachTypeOfLinks) {
  const auto task = Task(LinkDecoder::kDistMult, TwoTypes(),
                         {"user,knows,user", "user,buys,item"});
  const at::Tensor weight = Parameter(*task, "weight");
  ASSERT_EQ(weight.sizes(), (std::vector<int64_t>{2, 2}));
  Fill(weight, {2, -1, 0.5, 3});
  MiniBatch batch = PairsBatch();  // of user,buys,item
  const at::Tensor items = ThreeRows();
  const at::Tensor users =
      at::tensor(std::vector<float>{1, 1, 2, 0, 0, 0}).view({3, 2});
  Tally tally;
  auto loss = task->Loss(batch, {items, users}, &tally);
  ASSERT_TRUE(loss.ok()) << loss.status();
  // 0-1: .5*3 - 3 = -1.5; 0-2: 3; 1-2: 0.
  EXPECT_NEAR(loss->item<double>(), (Link(-1.5) + Link(3) + Negative(0)) / 1.5,
              1e-6);
  loss->backward();
  const double a = (Sigmoid(-1.5) - 1) / 1.5, b = (Sigmoid(3) - 1) / 1.5;
  const at::Tensor grad = weight.grad();
  EXPECT_EQ(grad[0].abs().sum().item<double>(), 0);
  EXPECT_NEAR(grad[1][0].item<double>(), a * 3, 1e-6);
  EXPECT_NEAR(grad[1][1].item<double>(), a * -1 + b * 1, 1e-6);
  // The other type: its own vector, and users at both ends.
  batch.links[0].relation = 1;
  loss = task->Loss(batch, {items, users}, &tally);
  ASSERT_TRUE(loss.ok()) << loss.status();
  // 0-1: 2*2 = 4; 0-2: 0; 1-2: 0.
  EXPECT_NEAR(loss->item<double>(), (Link(4) + Link(0) + Negative(0)) / 1.5,
              1e-6);
}

TEST(LinkTaskTest, MlpIsOfTheProductOfBothEnds) {
  const auto task = Task(LinkDecoder::kMlp);
  Fill(Parameter(*task, "lins.0.weight"), {1, 0, -1, 2});
  Fill(Parameter(*task, "lins.0.bias"), {0, 1});
  Fill(Parameter(*task, "lins.1.weight"), {2, -1});
  Fill(Parameter(*task, "lins.1.bias"), {0.5});
  Tally tally;
  auto loss = task->Loss(PairsBatch(), {ThreeRows()}, &tally);
  ASSERT_TRUE(loss.ok()) << loss.status();
  // 0-1: product (3, -2), hidden relu(3, -6) = (3, 0), score 6.5.
  // 0-2: (0, 2), (0, 5), -4.5. 1-2: (0, -1), relu(0, -1) = (0, 0), 0.5.
  EXPECT_NEAR(loss->item<double>(),
              (Link(6.5) + Link(-4.5) + Negative(0.5)) / 1.5, 1e-5);
  loss->backward();
  const double a = (Sigmoid(6.5) - 1) / 1.5, b = (Sigmoid(-4.5) - 1) / 1.5,
               c = Sigmoid(0.5) / 1.5;
  const at::Tensor out = Parameter(*task, "lins.1.weight").grad();
  EXPECT_NEAR(out[0][0].item<double>(), a * 3, 1e-6);
  EXPECT_NEAR(out[0][1].item<double>(), b * 5, 1e-5);
  EXPECT_NEAR(Parameter(*task, "lins.1.bias").grad()[0].item<double>(),
              a + b + c, 1e-6);
  const at::Tensor hidden = Parameter(*task, "lins.0.weight").grad();
  EXPECT_NEAR(hidden[0][0].item<double>(), a * 2 * 3, 1e-6);
  EXPECT_NEAR(hidden[1][1].item<double>(), b * -1 * 2, 1e-5);
  // The same scores in triplets.
  loss = task->Loss(TripletBatch(), {ThreeRows()}, &tally);
  ASSERT_TRUE(loss.ok()) << loss.status();
  // 0-0: product (1, 4), hidden (1, 8), score -5.5.
  EXPECT_NEAR(loss->item<double>(), (Link(6.5 + 4.5) + Link(6.5 + 5.5)) / 2,
              1e-6);
}

TEST(LinkTaskTest, InitialParametersAreAFunctionOfTheSeed) {
  const LinkTaskOptions options{.decoder = LinkDecoder::kMlp, .channels = 4};
  const auto weight = [&](uint64_t seed) {
    return (*MakeLinkScorer(options, OneType(), seed))
        ->named_parameters()["lins.0.weight"];
  };
  EXPECT_TRUE(at::equal(weight(1), weight(1)));
  EXPECT_FALSE(at::equal(weight(1), weight(2)));
}

TEST(LinkTaskTest, DropoutOfTheMlpIsKeyedAndInTrainingOnly) {
  auto task = MakeLinkTask(
      {.decoder = LinkDecoder::kMlp, .channels = 2, .dropout = 0.5}, OneType(),
      5);
  ASSERT_TRUE(task.ok());
  Fill(Parameter(**task, "lins.0.bias"), {9, 9});
  const auto loss = [&](uint64_t draw_key) {
    MiniBatch batch = PairsBatch();
    batch.draw_key = draw_key;
    Tally tally;
    return (*(*task)->Loss(batch, {ThreeRows()}, &tally)).item<double>();
  };
  EXPECT_EQ(loss(1), loss(1));
  bool differs = false;
  for (uint64_t key = 2; key < 12; ++key) differs |= loss(key) != loss(1);
  EXPECT_TRUE(differs);
  (*task)->decoder()->eval();
  for (uint64_t key = 2; key < 12; ++key) EXPECT_EQ(loss(key), loss(1));
}

TEST(LinkTaskTest, RowsHaveALinkAndItsNegatives) {
  const auto task = Task(LinkDecoder::kDot);
  PredictionRows rows;
  ASSERT_TRUE(task->Predict(PairsBatch(), {ThreeRows()}, &rows).ok());
  // The negative is the first link's.
  EXPECT_EQ(rows.columns, 2);
  EXPECT_THAT(rows.input_numbers, ElementsAre(7, 3));
  EXPECT_THAT(rows.labels, ElementsAre(1, 0, 1, testing::IsNan()));
  EXPECT_THAT(rows.predictions, ElementsAre(1, -1, 2, testing::IsNan()));
  PredictionRows triplets;
  ASSERT_TRUE(task->Predict(TripletBatch(), {ThreeRows()}, &triplets).ok());
  EXPECT_EQ(triplets.columns, 3);
  EXPECT_THAT(triplets.labels, ElementsAre(1, 0, 0));
  EXPECT_THAT(triplets.predictions, ElementsAre(1, 2, 5));
}

TEST(LinkTaskTest, LinksAloneAreRowsOfOneColumn) {
  const auto task = Task(LinkDecoder::kDot);
  MiniBatch batch = PairsBatch();
  batch.links[0].input_id = Whole({0, 1, 2});
  batch.links[0].edge_label = at::Tensor();
  PredictionRows rows;
  ASSERT_TRUE(task->Predict(batch, {ThreeRows()}, &rows).ok());
  EXPECT_THAT(rows.labels, ElementsAre(1, 1, 1));
  EXPECT_THAT(rows.predictions, ElementsAre(1, 2, -1));
  Tally tally;
  EXPECT_THAT(task->Loss(batch, {ThreeRows()}, &tally).status().message(),
              HasSubstr("neither labels nor negatives"));
}

TEST(LinkTaskTest, NumbersOfSeveralTypesDiffer) {
  const auto task = Task(LinkDecoder::kDot, TwoTypes(),
                         {"user,buys,item", "user,knows,user"});
  MiniBatch batch = PairsBatch();
  batch.links.push_back(PairsBatch().links[0]);
  batch.links[1].relation = 1;
  PredictionRows rows;
  ASSERT_TRUE(task->Predict(batch, {ThreeRows(), ThreeRows()}, &rows).ok());
  EXPECT_THAT(rows.input_numbers, ElementsAre(7, 3, (uint64_t{1} << 36) + 7,
                                              (uint64_t{1} << 36) + 3));
}

TEST(LinkTaskTest, WrongOptionsAndBatchesAreRefused) {
  EXPECT_THAT(
      MakeLinkTask({.edge_types = {"a,b,c"}, .channels = 2}, OneType(), 0)
          .status()
          .message(),
      HasSubstr("no edge type \"a,b,c\""));
  EXPECT_THAT(MakeLinkTask({.channels = 2}, TwoTypes(), 0).status().message(),
              HasSubstr("no edge type is named"));
  EXPECT_THAT(MakeLinkTask({}, OneType(), 0).status().message(),
              HasSubstr("channels of links are 0"));
  const auto task = Task(LinkDecoder::kDot);
  Tally tally;
  EXPECT_THAT(task->Loss(MiniBatch(), {ThreeRows()}, &tally).status().message(),
              HasSubstr("no links"));
  MiniBatch batch = PairsBatch();
  batch.links[0].edge_label = at::tensor(std::vector<float>{1, 2, 0});
  EXPECT_EQ(task->Loss(batch, {ThreeRows()}, &tally).status().code(),
            absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace tributary
