// Row r of these partitions has the edges 0, 1, ... of node r: edge i leads
// from node i and has id 1000 + i.
#include "sampler_server/engine/questions/induced_edges.h"

#include <gtest/gtest.h>

#include "sampler_server/engine/testing/hop_rows.h"

namespace tributary {
namespace {

using Ids = std::vector<uint64_t>;

struct Taken {
  explicit Taken(size_t edges)
      : numbers(edges), edge_ids(edges), positions(edges) {}
  InducedEdges out() {
    return {numbers.data(), edge_ids.data(), positions.data()};
  }
  std::vector<uint32_t> numbers;
  std::vector<int64_t> edge_ids;
  std::vector<uint64_t> positions;
};

class InducedEdgesTest : public testing::TestWithParam<bool> {
 protected:
  // Rows of 3, 0, 4 and 5 edges, from nodes 0-2, 3-6 and 7-11.
  HopRows rows_{{3, 0, 4, 5}, GetParam()};
  const Ids ids_ = {11, 4, 7, 2, 9, 100};
  const NodeSet nodes_{ids_};
  const EdgePartition edges_ = rows_.view();
  const InducedSource source_{edges_, 12, nodes_};
};

TEST_P(InducedEdgesTest, CountsWhatComesFromTheSet) {
  std::vector<uint32_t> counts(4, 77);
  Scanned done;
  ASSERT_TRUE(CountInduced(source_, {{3}, {0}, {1}, {2}}, {100, 100},
                           counts.data(), &done)
                  .ok());
  EXPECT_EQ(counts, (std::vector<uint32_t>{3, 1, 0, 1}));
  EXPECT_EQ(done.rows, 4u);
  EXPECT_EQ(done.edges, 12u);
}

TEST_P(InducedEdgesTest, StopsWhereItIsTold) {
  std::vector<uint32_t> counts(4, 77);
  Scanned done;
  const std::vector<InducedRow> rows = {{3}, {0}, {1}, {2}};
  ASSERT_TRUE(CountInduced(source_, rows, {6, 100}, counts.data(), &done).ok());
  EXPECT_EQ(done.rows, 2u);  // 5 edges are not enough, 8 are
  EXPECT_EQ(done.edges, 8u);
  ASSERT_TRUE(CountInduced(source_, rows, {100, 8}, counts.data(), &done).ok());
  EXPECT_EQ(done.rows, 3u);  // the last would make 12
  EXPECT_EQ(done.edges, 12u);
  ASSERT_TRUE(CountInduced(source_, rows, {100, 4}, counts.data(), &done).ok());
  EXPECT_EQ(done.rows, 0u);
  EXPECT_EQ(done.edges, 5u);
}

TEST_P(InducedEdgesTest, TakesThemToTheirPlaces) {
  Taken taken(5);
  ASSERT_TRUE(
      TakeInduced(source_,
                  {{3, 0, 3, 2}, {0, 0, 1, 0}, {1, 0, 0, 1}, {2, 0, 1, 1}}, 0,
                  taken.out())
          .ok());
  EXPECT_EQ(taken.numbers, (std::vector<uint32_t>{3, 1, 2, 4, 0}));
  EXPECT_EQ(taken.edge_ids,
            (std::vector<int64_t>{1002, 1004, 1007, 1009, 1011}));
  EXPECT_EQ(taken.positions, (Ids{2, 4, 7, 9, 11}));
}

TEST_P(InducedEdgesTest, GoesOnWhereItWasCut) {
  Taken taken(2);
  ASSERT_TRUE(
      TakeInduced(source_, {{3, 0, 1, 1}, {0, 0, 1, 0}}, 1,
                  {taken.numbers.data(), taken.edge_ids.data(), nullptr})
          .ok());
  EXPECT_EQ(taken.edge_ids, (std::vector<int64_t>{1002, 1009}));
}

TEST_P(InducedEdgesTest, ATreesRowsSeeTheirTreeOnly) {
  // Nodes 0 and 7 of tree 2, 2 of tree 1: of 12 nodes.
  const Ids ids = {24, 31, 14};
  const NodeSet nodes(ids);
  const InducedSource source{edges_, 12, nodes};
  std::vector<uint32_t> counts(3);
  Scanned done;
  ASSERT_TRUE(CountInduced(source, {{0, 12}, {0, 24}, {3, 24}}, {100, 100},
                           counts.data(), &done)
                  .ok());
  EXPECT_EQ(counts, (std::vector<uint32_t>{1, 1, 1}));
}

TEST_P(InducedEdgesTest, BelievesNothing) {
  std::vector<uint32_t> counts(1);
  Scanned done;
  EXPECT_EQ(CountInduced(source_, {{4}}, {9, 9}, counts.data(), &done).code(),
            absl::StatusCode::kOutOfRange);
  Taken taken(4);
  EXPECT_EQ(TakeInduced(source_, {{3, 0, 4, 0}}, 0, taken.out()).code(),
            absl::StatusCode::kInvalidArgument);
  // Node 11 would be a node of another tree, were there only ten.
  const InducedSource fewer{edges_, 10, nodes_};
  EXPECT_EQ(CountInduced(fewer, {{3}}, {9, 9}, counts.data(), &done).code(),
            absl::StatusCode::kDataLoss);
  rows_.indptr[3] = 100;
  EXPECT_EQ(CountInduced(source_, {{2}}, {9, 9}, counts.data(), &done).code(),
            absl::StatusCode::kDataLoss);
}

INSTANTIATE_TEST_SUITE_P(Widths, InducedEdgesTest, testing::Bool());

}  // namespace
}  // namespace tributary
