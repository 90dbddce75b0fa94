#include "trainer_client/torch/inference/layer_plan.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

using Bools = std::vector<bool>;

// a -> b -> c, and c -> c.
TypeTable Chain() {
  TypeTable types;
  types.node_types = {"a", "b", "c"};
  types.relations = {{"a,to,b", 0, 1}, {"b,to,c", 1, 2}, {"c,to,c", 2, 2}};
  types.feature_dim = {4, 4, 4};
  types.num_nodes = {5, 5, 5};
  return types;
}

TEST(LayerPlanTest, ALayerComputesWhatTheNextOneReads) {
  const std::vector<Bools> all(4, Bools(3, true));
  const auto plan = PlanLayers(Chain(), all, {5, 5, 5}, /*targets=*/{2});
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->layers.size(), 3);
  EXPECT_EQ(plan->layers[2].computed, (Bools{false, false, true}));
  EXPECT_EQ(plan->layers[1].computed, (Bools{false, true, true}));
  EXPECT_EQ(plan->layers[0].computed, (Bools{true, true, true}));
  for (size_t l = 0; l < 3; ++l) {
    EXPECT_EQ(plan->layers[l].read, Bools(3, true));
    EXPECT_EQ(plan->FanoutsOf(Chain(), l), NumNeighbors{-1});
  }
}

TEST(LayerPlanTest, TypesWithoutRowsAreNotComputed) {
  // No edge leads into a: it has rows in the first layer only, b in the first
  // two.
  const std::vector<Bools> has = {
      {true, true, true}, {false, true, true}, {false, false, true}};
  const auto plan = PlanLayers(Chain(), has, {5, 5}, {2});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->layers[1].computed, (Bools{false, false, true}));
  EXPECT_EQ(plan->layers[0].computed, (Bools{false, true, true}));
  const auto none = PlanLayers(Chain(), has, {5, 5}, {0});
  EXPECT_EQ(none.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(none.status().ToString().find("no rows for the type a"),
            std::string::npos);
}

// Hop 0 reads b,to,c only, hop 1 all but c,to,c: so the last layer reads b,to,c
// and the first one all but c,to,c.
TEST(LayerPlanTest, RelationsOfFanoutZeroAreNotRead) {
  const NumNeighbors fanouts{{0, 3}, {{"b,to,c", {2, 3}}, {"c,to,c", {0, 0}}}};
  const std::vector<Bools> all(3, Bools(3, true));
  const auto plan = PlanLayers(Chain(), all, fanouts, {2});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->layers[1].read, (Bools{false, true, false}));
  EXPECT_EQ(plan->layers[0].read, (Bools{true, true, false}));
  EXPECT_EQ(plan->layers[0].computed, (Bools{false, true, true}));
  EXPECT_EQ(plan->FanoutsOf(Chain(), 1),
            (NumNeighbors{{-1}, {{"a,to,b", {0}}, {"c,to,c", {0}}}}));
}

}  // namespace
}  // namespace tributary
