#include "trainer_client/torch/nn/segment/segments.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tributary {
namespace {

at::Tensor Ints(const std::vector<int32_t>& values) {
  return at::tensor(values, at::kInt);
}

void ExpectInts(const at::Tensor& t, const std::vector<int32_t>& values) {
  EXPECT_TRUE(at::equal(t.to(at::kInt), Ints(values))) << t;
}

// Edges 3->0, 1->0, 3->0; none into 1; 0->2, 2->2.
Segments Example() { return {Ints({0, 3, 3, 5}), Ints({3, 1, 3, 0, 2}), 4}; }

TEST(SegmentsTest, TransposesInTheOrderOfEdges) {
  const Segments s = Example();
  ExpectInts(s.Transposed().indptr, {0, 1, 2, 3, 5});
  ExpectInts(s.Transposed().dst, {2, 0, 2, 0, 0});
  ExpectInts(s.Transposed().edge, {3, 1, 4, 0, 2});
}

TEST(SegmentsTest, CopiesShareTheTransposed) {
  const Segments s = Example();
  const Segments copy(s.capsule());
  EXPECT_EQ(copy.Transposed().dst.const_data_ptr(),
            s.Transposed().dst.const_data_ptr());
}

TEST(SegmentsTest, SegmentsOfEdges) {
  const Segments s = Example();
  ExpectInts(s.EdgeSegment(), {0, 0, 0, 2, 2});
  ExpectInts(s.EdgeCounts(), {3, 0, 2});
}

TEST(SegmentsTest, NoEdgesAndNoSegments) {
  const Segments s(Ints({0}), Ints({}), 0);
  EXPECT_EQ(s.num_segments(), 0);
  ExpectInts(s.Transposed().indptr, {0});
  ExpectInts(s.EdgeSegment(), {});
}

TEST(SegmentsTest, RefusesWhatIsNoCsr) {
  const auto error = [](const at::Tensor& indptr, const at::Tensor& src) {
    try {
      const Segments s(indptr, src, 4);
    } catch (const c10::Error& e) {
      return std::string(e.what_without_backtrace());
    }
    return std::string();
  };
  EXPECT_NE(error(Ints({0, 2}), Ints({0, 4})).find("reads row 4"),
            std::string::npos);
  EXPECT_NE(error(Ints({0, 2}), Ints({0, -1})).find("reads row -1"),
            std::string::npos);
  EXPECT_NE(error(Ints({0, 2, 1, 2}), Ints({0, 1})).find("decreases at 1"),
            std::string::npos);
  EXPECT_NE(error(Ints({0, 1}), Ints({0, 1})).find("allowed: 0 to 2"),
            std::string::npos);
  EXPECT_NE(error(Ints({0, 1}), Ints({0}).to(at::kLong)).find("int32"),
            std::string::npos);
}

}  // namespace
}  // namespace tributary
