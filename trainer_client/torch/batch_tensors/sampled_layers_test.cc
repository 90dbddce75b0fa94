#include "trainer_client/torch/batch_tensors/sampled_layers.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

using Ints = std::vector<int32_t>;
using Counts = std::vector<int64_t>;

// The edges that a layer reads of its first relation.
Ints IndptrOf(const SampledLayers& made, size_t layer, size_t relation = 0) {
  const CsrPrefix& prefix = made.layers[layer].relations[relation];
  const Ints& all = made.csrs[prefix.csr].indptr;
  return Ints(all.begin(), all.begin() + prefix.num_dst + 1);
}
Ints SrcOf(const SampledLayers& made, size_t layer, size_t relation = 0) {
  const CsrPrefix& prefix = made.layers[layer].relations[relation];
  const Ints& all = made.csrs[prefix.csr].src;
  return Ints(all.begin(), all.begin() + prefix.num_edges);
}

// Inputs 0 1; hop 0 found 2 3, hop 1 found 4:
//   2>0 1>0 3>1 | 4>2 0>2 2>3
class SampledLayersTest : public ::testing::Test {
 protected:
  Ints src_{2, 1, 3, 4, 0, 2};
  Ints dst_{0, 0, 1, 2, 2, 3};
  Counts nodes_{2, 2, 1};
  Counts edges_{3, 3};

  absl::StatusOr<SampledLayers> Make(bool expand_all = false) {
    return MakeLayers({.hops = 2,
                       .nodes = {nodes_},
                       .relations = {{0, 0, src_, dst_, edges_}},
                       .expand_all = expand_all});
  }
};

TEST_F(SampledLayersTest, EachLayerReadsOneHopLess) {
  const auto made = Make();
  ASSERT_TRUE(made.ok()) << made.status();
  ASSERT_EQ(made->layers.size(), 2);
  EXPECT_EQ(made->layers[0].num_src, (Counts{5}));
  EXPECT_EQ(made->layers[0].num_dst, (Counts{4}));
  EXPECT_EQ(IndptrOf(*made, 0), (Ints{0, 2, 3, 5, 6}));
  EXPECT_EQ(SrcOf(*made, 0), (Ints{2, 1, 3, 4, 0, 2}));
  EXPECT_EQ(made->layers[1].num_src, (Counts{4}));
  EXPECT_EQ(made->layers[1].num_dst, (Counts{2}));
  EXPECT_EQ(IndptrOf(*made, 1), (Ints{0, 2, 3}));
  EXPECT_EQ(SrcOf(*made, 1), (Ints{2, 1, 3}));
  EXPECT_EQ(made->csrs.size(), 1);  // shared
  EXPECT_EQ(made->csrs[0].edge, (Ints{0, 1, 2, 3, 4, 5}));
}

// The second hop draws the inputs again: 3>0 4>1 | its own edges only.
TEST_F(SampledLayersTest, ExpandAllReadsItsOwnHop) {
  src_ = {2, 1, 3, 3, 4, 4};
  dst_ = {0, 0, 1, 0, 1, 2};
  const auto made = Make(/*expand_all=*/true);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(IndptrOf(*made, 0), (Ints{0, 1, 2, 3, 3}));
  EXPECT_EQ(SrcOf(*made, 0), (Ints{3, 4, 4}));
  EXPECT_EQ(IndptrOf(*made, 1), (Ints{0, 2, 3}));
  EXPECT_EQ(SrcOf(*made, 1), (Ints{2, 1, 3}));
  EXPECT_EQ(made->csrs[made->layers[0].relations[0].csr].edge, (Ints{3, 4, 5}));
}

// An edge of the second hop that ends at an input: the first layer reads it,
// the second does not.
TEST_F(SampledLayersTest, LayersDoNotShareWhatDiffers) {
  dst_[5] = 0;  // 2>0
  const auto made = Make();
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->csrs.size(), 2);
  EXPECT_EQ(IndptrOf(*made, 0), (Ints{0, 3, 4, 6, 6}));
  EXPECT_EQ(SrcOf(*made, 0), (Ints{2, 1, 2, 3, 4, 0}));
  EXPECT_EQ(IndptrOf(*made, 1), (Ints{0, 2, 3}));
  EXPECT_EQ(SrcOf(*made, 1), (Ints{2, 1, 3}));
}

TEST_F(SampledLayersTest, AnyOrderOfDestinations) {
  std::swap(src_[0], src_[2]);
  std::swap(dst_[0], dst_[2]);  // 3>1 1>0 2>0
  const auto made = Make();
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(IndptrOf(*made, 1), (Ints{0, 2, 3}));
  EXPECT_EQ(SrcOf(*made, 1), (Ints{1, 2, 3}));
  EXPECT_EQ(made->csrs[0].edge, (Ints{1, 2, 0, 3, 4, 5}));
}

// Types a (inputs a0; hop 1 finds a1) and b (hop 0 finds b0 b1), no node of c:
//   b>a  b0>a0 b1>a0 | none        a>b  none | a1>b0 a0>b1
TEST(SampledLayersOfTypesTest, RelationsWithoutEdgesAreLeftOut) {
  const Counts a{1, 0, 1}, b{0, 2, 0};
  const Ints ba_src{0, 1}, ba_dst{0, 0}, ab_src{1, 0}, ab_dst{0, 1};
  const Counts first{2, 0}, second{0, 2}, none{0, 0};
  const auto made = MakeLayers({.hops = 2,
                                .nodes = {a, b, {}},
                                .relations = {{0, 1, ab_src, ab_dst, second},
                                              {1, 0, ba_src, ba_dst, first},
                                              {2, 0, {}, {}, none}}});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->layers[0].num_src, (Counts{2, 2, 0}));
  EXPECT_EQ(made->layers[0].num_dst, (Counts{1, 2, 0}));
  ASSERT_EQ(made->layers[0].relations.size(), 2);
  EXPECT_EQ(IndptrOf(*made, 0, 0), (Ints{0, 1, 2}));
  EXPECT_EQ(SrcOf(*made, 0, 0), (Ints{1, 0}));
  EXPECT_EQ(IndptrOf(*made, 0, 1), (Ints{0, 2}));
  EXPECT_EQ(made->layers[1].num_src, (Counts{1, 2, 0}));
  EXPECT_EQ(made->layers[1].num_dst, (Counts{1, 0, 0}));
  ASSERT_EQ(made->layers[1].relations.size(), 1);
  EXPECT_EQ(made->csrs[made->layers[1].relations[0].csr].relation, 1);
}

TEST_F(SampledLayersTest, RefusesEdgesOutsideTheirHop) {
  src_[0] = 4;  // found only in the hop after
  EXPECT_EQ(Make().status().code(), absl::StatusCode::kInvalidArgument);
  src_[0] = -1;
  EXPECT_FALSE(Make().ok());
  src_[0] = 2;
  dst_[5] = 4;
  EXPECT_FALSE(Make().ok());
}

TEST_F(SampledLayersTest, RefusesCountsThatDisagree) {
  edges_ = {3, 2};
  EXPECT_FALSE(Make().ok());
  edges_ = {7, -1};
  EXPECT_FALSE(Make().ok());
  edges_ = {6};
  EXPECT_FALSE(Make().ok());
  edges_ = {3, 3};
  nodes_ = {2, 3};
  EXPECT_FALSE(Make().ok());
}

}  // namespace
}  // namespace tributary
