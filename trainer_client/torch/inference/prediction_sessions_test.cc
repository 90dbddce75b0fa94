#include "trainer_client/torch/inference/prediction_sessions.h"

#include <gtest/gtest.h>

#include <variant>

namespace tributary {
namespace {

PredictOptions Options() {
  PredictOptions options;
  options.loader.input_split = "train";
  options.loader.input_type = "paper";
  options.loader.rank = 1;
  options.loader.world = 2;
  options.loader.num_neighbors = {9, 9};
  options.loader.replace = true;
  options.eval_num_neighbors = {5, 3};
  options.batch_size = 7;
  return options;
}

TEST(PredictionSessionsTest, NodesInTheOrderOfTheirSplit) {
  PredictOptions options = Options();
  options.target.split = "test";
  const PredictionSessions sessions(options);
  EXPECT_EQ(sessions.target_type(), "paper");
  const SessionOptions made = sessions.Sampled(GraphSchema(), true);
  EXPECT_EQ(made.input_split, "test");
  EXPECT_EQ(made.input_type, "paper");
  EXPECT_FALSE(made.all_nodes);
  EXPECT_EQ(made.shuffle, ShuffleMode::kNone);
  EXPECT_EQ(made.batch_size, 7);
  EXPECT_EQ(made.rank, 1);
  EXPECT_EQ(made.world, 2);
  EXPECT_TRUE(made.collect_degrees);
  const auto& hops = std::get<NeighborOptions>(made.kind);
  EXPECT_EQ(hops.num_neighbors, (NumNeighbors{5, 3}));
  EXPECT_TRUE(hops.replace);  // as in evaluation
}

TEST(PredictionSessionsTest, AllNodesOfAnotherType) {
  PredictOptions options = Options();
  options.target.type = "author";
  options.loader.draws.edge_mask = "kept";
  options.loader.feature_dtype = FeatureDType::kInt8;
  options.loader.draws.disjoint = true;
  const PredictionSessions sessions(options);
  const OneHop hop{.fanouts = {{-1}, {{"a,b,c", {0}}}}};
  const SessionOptions target = sessions.Target(hop);
  EXPECT_TRUE(target.all_nodes);
  EXPECT_EQ(target.input_type, "author");
  EXPECT_EQ(target.input_split, "");
  EXPECT_TRUE(target.collect.empty());
  EXPECT_EQ(target.feature_dtype, FeatureDType::kStored);
  const auto& hops = std::get<NeighborOptions>(target.kind);
  EXPECT_EQ(hops.num_neighbors, hop.fanouts);
  EXPECT_FALSE(hops.replace);
  EXPECT_EQ(hops.draws.edge_mask, "kept");  // all neighbours by kept edges
  EXPECT_FALSE(hops.draws.disjoint);
  EXPECT_EQ(sessions.AllNodes("venue", hop).input_type, "venue");
}

TEST(PredictionSessionsTest, LinksLeaveOutWhatTrainingDoes) {
  PredictOptions options = Options();
  options.loader.input_type.clear();
  options.target.split = "test";
  options.link.emplace();
  options.link->types = {{.edge_type = "a,b,c", .train = "train"}};
  options.link->exclude = ExcludeMode::kReverseId;
  options.loader.feature_dtype = FeatureDType::kInt8;
  const PredictionSessions sessions(options);
  EXPECT_TRUE(sessions.of_links());
  EXPECT_EQ(sessions.target_type(), "a,b,c");
  const SessionOptions sampled = sessions.Sampled(GraphSchema(), false);
  const auto& link = std::get<LinkOptions>(sampled.kind);
  ASSERT_EQ(link.lists.size(), 1);
  EXPECT_EQ(link.lists[0].edge_type, "a,b,c");
  EXPECT_EQ(link.lists[0].input_split, "test");
  EXPECT_EQ(link.exclude, ExcludeMode::kReverseId);
  EXPECT_EQ(link.negatives.mode, NegativeMode::kNone);
  const SessionOptions probe = sessions.Probe();
  EXPECT_TRUE(probe.collect.empty());
  EXPECT_EQ(probe.feature_dtype, FeatureDType::kStored);
  EXPECT_EQ(std::get<LinkOptions>(probe.kind).exclude, ExcludeMode::kNone);

  options.target = {.type = "node"};  // the embeddings of nodes
  EXPECT_FALSE(sessions.of_links());
  EXPECT_TRUE(sessions.Probe().all_nodes);
}

}  // namespace
}  // namespace tributary
