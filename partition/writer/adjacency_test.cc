#include "partition/writer/adjacency.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"

namespace tributary {
namespace {

constexpr int64_t kMostNarrow = int64_t{1} << 32;

// Returns the adjacency of two nodes, where node 1 has the edges `row`.
Adjacency OfOneRow(const std::vector<InEdge>& row, int64_t num_src,
                   int64_t max_edge_id) {
  const uint64_t degrees[] = {0, row.size()};
  auto adjacency = Adjacency::FromSortedRows(
      degrees, num_src, max_edge_id, [&](int64_t node, absl::Span<InEdge> out) {
        if (node == 1) std::copy(row.begin(), row.end(), out.begin());
        return absl::OkStatus();
      });
  EXPECT_TRUE(adjacency.ok()) << adjacency.status();
  return *std::move(adjacency);
}

// Edges take 8 bytes while neighbours and ids have 32 bits each, then 16.
TEST(Adjacency, KeepsNeighboursAndIdsOnBothSidesOf32Bits) {
  for (const int64_t num_src : {kMostNarrow, kMostNarrow + 1}) {
    for (const int64_t max_edge_id : {kMostNarrow - 1, kMostNarrow}) {
      const std::vector<InEdge> row = {
          {0, max_edge_id}, {1, 0}, {num_src - 1, 1}};
      const Adjacency adjacency = OfOneRow(row, num_src, max_edge_id);
      ASSERT_EQ(adjacency.num_edges(), 3);
      for (size_t i = 0; i < row.size(); ++i) {
        EXPECT_EQ(adjacency.edge(i), row[i])
            << num_src << " sources, ids to " << max_edge_id << ", edge " << i;
      }
    }
  }
}

TEST(Adjacency, TransposedKeepsIdsOnBothSidesOf32Bits) {
  for (const int64_t max_edge_id : {kMostNarrow - 1, kMostNarrow}) {
    const Adjacency out =
        OfOneRow({{0, max_edge_id}, {1, 0}}, 2, max_edge_id).Transposed(2);
    EXPECT_EQ(out.edge(0), (InEdge{1, max_edge_id}));
    EXPECT_EQ(out.edge(1), (InEdge{1, 0}));
  }
}

}  // namespace
}  // namespace tributary
