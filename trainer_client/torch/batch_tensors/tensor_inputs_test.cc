#include "trainer_client/torch/batch_tensors/tensor_inputs.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void ExpectRefused(const absl::Status& status, const std::string& what) {
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(what));
}

TEST(TensorInputs, NodesOfEitherWidthAndMasks) {
  CommonLoaderOptions options;
  ASSERT_TRUE(SetInputNodes(at::arange(3, at::kLong) * 5, &options).ok());
  EXPECT_THAT(options.input_nodes, ElementsAre(0, 5, 10));
  ASSERT_TRUE(SetInputNodes(at::arange(2, at::kInt), &options).ok());
  EXPECT_THAT(options.input_nodes, ElementsAre(0, 1));
  EXPECT_THAT(options.input_mask, IsEmpty());
  ASSERT_TRUE(SetInputNodes(at::arange(4, at::kLong) % 2 == 1, &options).ok());
  EXPECT_THAT(options.input_mask, ElementsAre(false, true, false, true));
}

// Views are read as they look.
TEST(TensorInputs, RowsThatAreNotContiguous) {
  LinkNeighborLoaderOptions options;
  const at::Tensor pairs = at::arange(6, at::kLong).view({3, 2});
  ASSERT_TRUE(SetEdgeLabelIndex(pairs.t(), &options).ok());
  EXPECT_THAT(options.source, ElementsAre(0, 2, 4));
  EXPECT_THAT(options.destination, ElementsAre(1, 3, 5));
  ASSERT_TRUE(SetNegDestination(pairs.t(), &options).ok());
  EXPECT_THAT(options.neg_destination, ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_EQ(options.neg_sampling.amount, 3);
}

TEST(TensorInputs, TimesWeightsAndLabels) {
  NeighborLoaderOptions nodes;
  ASSERT_TRUE(SetInputTime(at::full({2}, -7, at::kLong), &nodes).ok());
  EXPECT_THAT(nodes.input_time, ElementsAre(-7, -7));
  ASSERT_TRUE(SetInputWeight(at::full({2}, 0.5, at::kFloat), &nodes).ok());
  EXPECT_THAT(nodes.input_weight, ElementsAre(0.5, 0.5));
  LinkNeighborLoaderOptions links;
  ASSERT_TRUE(SetEdgeLabel(at::ones({2}, at::kLong), &links).ok());
  EXPECT_THAT(links.edge_label, ElementsAre(1, 1));
  EXPECT_THAT(links.edge_label_float, IsEmpty());
  ASSERT_TRUE(SetEdgeLabel(at::ones({1}, at::kFloat), &links).ok());
  EXPECT_THAT(links.edge_label_float, ElementsAre(1.0f));
  ASSERT_TRUE(SetEdgeLabelTime(at::arange(2, at::kLong), &links).ok());
  EXPECT_THAT(links.edge_label_time, ElementsAre(0, 1));
}

TEST(TensorInputs, LinksOfOneOfSeveralEdgeTypes) {
  LinkNeighborLoaderOptions options;
  EdgeTypeLinks& links = options.by_edge_type.emplace_back();
  ASSERT_TRUE(
      SetEdgeLabelIndex(at::arange(6, at::kLong).view({2, 3}), &links).ok());
  EXPECT_THAT(links.destination, ElementsAre(3, 4, 5));
  ASSERT_TRUE(SetNegDestination(at::arange(6, at::kLong).view({3, 2}), &links,
                                &options.neg_sampling)
                  .ok());
  EXPECT_THAT(links.neg_destination, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(options.neg_sampling.amount, 2);
  EXPECT_THAT(options.neg_destination, IsEmpty());
}

TEST(TensorInputs, OthersAreRefusedByName) {
  LinkNeighborLoaderOptions options;
  NeighborLoaderOptions& nodes = options.neighbors;
  ExpectRefused(SetInputNodes(at::ones({2}, at::kFloat), &nodes),
                "input_nodes is Float of shape [2]; allowed: int64 or int32");
  ExpectRefused(SetInputNodes(at::ones({2, 1}, at::kLong), &nodes),
                "of shape [2, 1]");
  ExpectRefused(SetInputNodes(at::Tensor(), &nodes),
                "input_nodes is an undefined tensor");
  ExpectRefused(SetInputTime(at::ones({2}, at::kInt), &nodes), "input_time");
  ExpectRefused(SetInputWeight(at::ones({2}, at::kLong), &nodes),
                "input_weight");
  ExpectRefused(SetEdgeLabelIndex(at::ones({3, 2}, at::kLong), &options),
                "edge_label_index is Long of shape [3, 2]; allowed: int64 [2,");
  ExpectRefused(SetEdgeLabel(at::ones({2}, at::kDouble), &options),
                "edge_label is Double");
  ExpectRefused(SetEdgeLabelTime(at::Tensor(), &options), "edge_label_time");
  ExpectRefused(SetNegDestination(at::ones({2, 0}, at::kLong), &options),
                "neg_destination");
  EXPECT_THAT(options.source, IsEmpty());
  EXPECT_THAT(options.destination, IsEmpty());
}

}  // namespace
}  // namespace tributary
