#include "trainer_client/torch/nn/graph_layer.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "trainer_client/torch/nn/first_rows.h"
#include "trainer_client/torch/nn/input_embedding.h"
#include "trainer_client/torch/nn/testing/tiny_batch.h"

namespace tributary {
namespace {

// Adds up x of the neighbours, with 10 for each destination.
class SumConv : public RelationConv {
 public:
  at::Tensor Forward(const ConvInput& input) override {
    ++calls;
    const int64_t n = input.segments.num_segments();
    const at::Tensor sums =
        at::zeros({n, 1}, at::kDouble)
            .index_add(0, input.segments.EdgeSegment(),
                       input.x_src.index_select(0, input.segments.src()));
    return sums + 10;
  }
  int calls = 0;
};

class HeteroConvTest : public ::testing::Test {
 protected:
  HeteroConvTest() {
    for (const auto& nodes : graph_.nodes) {
      x_.push_back(at::ones({nodes[1], 1}, at::kDouble));
    }
  }

  // The last layer: papers 0 and 1 are computed.
  TypeTensors Forward(const LayerGraph& layer) {
    return conv_.Forward({.x = x_,
                          .graph = layer,
                          .in_degree = batch_.in_degree,
                          .out_degree = batch_.out_degree});
  }

  TinyGraph graph_ = TinyTyped();
  MiniBatch batch_ = graph_.Batch();
  std::vector<std::shared_ptr<SumConv>> made_;
  HeteroConv conv_{graph_.types, [this](const TypeTable::Relation&) {
                     made_.push_back(std::make_shared<SumConv>());
                     return made_.back();
                   }};
  TypeTensors x_;
};

TEST_F(HeteroConvTest, SumsTheRelationsOfEachDestination) {
  const TypeTensors out = Forward(batch_.layers[1]);
  // Into papers go four relations. Paper 0: an author, three papers; paper 1:
  // two authors and a venue.
  ASSERT_EQ(out[1].sizes(), (at::IntArrayRef{2, 1}));
  EXPECT_EQ(out[1][0].item<double>(), 40 + 4);
  EXPECT_EQ(out[1][1].item<double>(), 40 + 3);
  EXPECT_EQ(out[0].sizes(), (at::IntArrayRef{0, 1}));
}

TEST_F(HeteroConvTest, ARowDoesNotDependOnOtherNodesOfTheBatch) {
  // Without the relation from authors, paper 0 has its own terms of it still.
  LayerGraph layer = batch_.layers[1];
  std::erase_if(layer.relations,
                [](const RelationBlock& b) { return b.relation == 1; });
  EXPECT_EQ(Forward(layer)[1][0].item<double>(), 40 + 3);
}

TEST_F(HeteroConvTest, SkipsSourcesThatHaveNoRows) {
  x_[0] = at::Tensor();
  const TypeTensors out = Forward(batch_.layers[1]);
  EXPECT_EQ(out[1][0].item<double>(), 20 + 3);
  // Authors are computed from papers, but have no rows of their own to add.
  EXPECT_FALSE(out[0].defined());
  EXPECT_EQ(made_[1]->calls, 0);
}

TEST_F(HeteroConvTest, NamesTheTypesThatForwardReturns) {
  for (const std::vector<bool>& has_rows : {std::vector<bool>{true, true, true},
                                            {false, true, true},
                                            {true, false, true},
                                            {true, true, false}}) {
    for (size_t t = 0; t < 3; ++t) {
      x_[t] = has_rows[t] ? at::ones({graph_.nodes[t][1], 1}, at::kDouble)
                          : at::Tensor();
    }
    const TypeTensors out = Forward(batch_.layers[1]);
    const std::vector<bool> named = conv_.TypesWithRows(has_rows);
    for (size_t t = 0; t < 3; ++t) EXPECT_EQ(named[t], out[t].defined()) << t;
  }
}

TEST(DenseEmbeddingTest, RowsByOriginalIdWithGradients) {
  const TinyGraph graph = TinyTyped();
  DenseEmbedding embedding(graph.types, 5);
  const auto parameters = embedding.named_parameters();
  ASSERT_EQ(parameters.keys(), (std::vector<std::string>{"author.weight"}));
  const at::Tensor table = parameters["author.weight"];
  ASSERT_EQ(table.sizes(), (at::IntArrayRef{20, 5}));
  const at::Tensor rows =
      embedding.Rows(0, at::tensor(std::vector<int64_t>{7, 3}));
  EXPECT_TRUE(at::equal(rows[0], table[7]));
  EXPECT_TRUE(at::equal(rows[1], table[3]));
  rows.sum().backward();
  EXPECT_EQ(table.grad().sum().item<double>(), 10);
  EXPECT_EQ(table.grad()[3].sum().item<double>(), 5);
  EXPECT_THROW(embedding.Rows(1, at::zeros({1}, at::kLong)), c10::Error);
}

TEST(FirstRowsTest, AllOfThemAreTheTensorItself) {
  const at::Tensor x = at::randn({3, 2});
  EXPECT_TRUE(FirstRows(x, 3).is_same(x));
  EXPECT_TRUE(at::equal(FirstRows(x, 2), x.slice(0, 0, 2)));
  EXPECT_THROW(FirstRows(x, 4), c10::Error);
}

}  // namespace
}  // namespace tributary
