#include "trainer_client/torch/tensors/csr_block.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

using Ints = std::vector<int32_t>;

// Inputs 0 1; hop 0 found 2 3, hop 1 found 4:
//   2>0 1>0 3>1 | 4>2 0>2 2>3
class LayerBlocksTest : public ::testing::Test {
 protected:
  Ints src_{2, 1, 3, 4, 0, 2};
  Ints dst_{0, 0, 1, 2, 2, 3};
  std::vector<int64_t> nodes_{2, 2, 1};
  std::vector<int64_t> edges_{3, 3};

  absl::StatusOr<std::vector<CsrBlock>> Make(bool expand_all = false) {
    return LayerBlocks({src_, dst_, nodes_, edges_, expand_all});
  }
};

TEST_F(LayerBlocksTest, EachLayerReadsOneHopLess) {
  const auto blocks = Make();
  ASSERT_TRUE(blocks.ok()) << blocks.status();
  ASSERT_EQ(blocks->size(), 2);
  const CsrBlock& first = (*blocks)[0];
  EXPECT_EQ(first.num_src, 5);
  EXPECT_EQ(first.num_dst, 4);
  EXPECT_EQ(first.indptr, (Ints{0, 2, 3, 5, 6}));
  EXPECT_EQ(first.src, (Ints{2, 1, 3, 4, 0, 2}));
  const CsrBlock& second = (*blocks)[1];
  EXPECT_EQ(second.num_src, 4);
  EXPECT_EQ(second.num_dst, 2);
  EXPECT_EQ(second.indptr, (Ints{0, 2, 3}));
  EXPECT_EQ(second.src, (Ints{2, 1, 3}));
}

// The second hop draws the inputs again: 3>0 4>1 | its own edges only.
TEST_F(LayerBlocksTest, ExpandAllReadsItsOwnHop) {
  src_ = {2, 1, 3, 3, 4, 4};
  dst_ = {0, 0, 1, 0, 1, 2};
  const auto blocks = Make(/*expand_all=*/true);
  ASSERT_TRUE(blocks.ok()) << blocks.status();
  EXPECT_EQ((*blocks)[0].indptr, (Ints{0, 1, 2, 3, 3}));
  EXPECT_EQ((*blocks)[0].src, (Ints{3, 4, 4}));
  EXPECT_EQ((*blocks)[1].indptr, (Ints{0, 2, 3}));
  EXPECT_EQ((*blocks)[1].src, (Ints{2, 1, 3}));
}

TEST_F(LayerBlocksTest, AnyOrderOfDestinations) {
  std::swap(src_[0], src_[2]);
  std::swap(dst_[0], dst_[2]);  // 3>1 1>0 2>0
  const auto blocks = Make();
  ASSERT_TRUE(blocks.ok());
  EXPECT_EQ((*blocks)[1].indptr, (Ints{0, 2, 3}));
  EXPECT_EQ((*blocks)[1].src, (Ints{1, 2, 3}));
}

TEST_F(LayerBlocksTest, RefusesEdgesOutsideTheirHop) {
  src_[0] = 4;  // found only in the hop after
  EXPECT_EQ(Make().status().code(), absl::StatusCode::kInvalidArgument);
  src_[0] = -1;
  EXPECT_FALSE(Make().ok());
  src_[0] = 2;
  dst_[5] = 4;
  EXPECT_FALSE(Make().ok());
}

TEST_F(LayerBlocksTest, RefusesCountsThatDisagree) {
  edges_ = {3, 2};
  EXPECT_FALSE(Make().ok());
  edges_ = {7, -1};
  EXPECT_FALSE(Make().ok());
  edges_ = {6};
  EXPECT_FALSE(Make().ok());
}

}  // namespace
}  // namespace tributary
