#include "trainer_client/torch/nn/segment/self_loops.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

namespace tributary {
namespace {

at::Tensor Ints(const std::vector<int32_t>& values) {
  return at::tensor(values, at::kInt);
}

void ExpectInts(const at::Tensor& t, const std::vector<int32_t>& values) {
  EXPECT_TRUE(at::equal(t, Ints(values))) << t;
}

class SelfLoopsTest
    : public ::testing::TestWithParam<Segments (*)(const Segments&)> {};

TEST_P(SelfLoopsTest, ReplaceThoseThatAreThere) {
  // Edges 3->0, 1->0, 3->0; none into 1; 0->2, 2->2, 1->2.
  const Segments s =
      GetParam()(Segments(Ints({0, 3, 3, 6}), Ints({3, 1, 3, 0, 2, 1}), 4));
  ExpectInts(s.indptr(), {0, 4, 5, 8});
  ExpectInts(s.src(), {3, 1, 3, 0, 1, 0, 1, 2});
  EXPECT_EQ(s.num_src(), 4);
}

TEST_P(SelfLoopsTest, OfNoNodes) {
  const Segments s = GetParam()(Segments(Ints({0}), Ints({}), 0));
  EXPECT_EQ(s.num_segments(), 0);
  EXPECT_EQ(s.num_edges(), 0);
}

INSTANTIATE_TEST_SUITE_P(All, SelfLoopsTest,
                         ::testing::Values(WithSelfLoops, ComposedSelfLoops));

TEST(SelfLoopsOfTooFewRowsTest, AreRefused) {
  EXPECT_THROW(WithSelfLoops(Segments(Ints({0, 0, 0}), Ints({}), 1)),
               c10::Error);
}

}  // namespace
}  // namespace tributary
