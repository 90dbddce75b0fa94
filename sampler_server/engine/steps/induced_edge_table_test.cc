#include "sampler_server/engine/steps/induced_edge_table.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tributary {
namespace {

// Nodes 0, 1 and 2 have 2, 1 and 2 edges.
InducedEdgeTable CountedTable() {
  InducedEdgeTable table(3);
  table.SetCount(2, 2);
  table.SetCount(0, 2);
  table.SetCount(1, 1);
  return table;
}

TEST(InducedEdgeTable, SaysWhatItsEdgesTake) {
  const InducedEdgeTable table = CountedTable();
  EXPECT_EQ(table.NumEdges(), 5u);
  EXPECT_EQ(table.bytes(), 12u);  // counts
  // A number of 4 bytes, an id of 8; a position of 8, an owner of 4 per node.
  EXPECT_EQ(table.BytesToFill(false), 60u);
  EXPECT_EQ(table.BytesToFill(true), 112u);
}

TEST(InducedEdgeTable, EachCursorFindsWhereNodesBegin) {
  const InducedEdgeTable table = CountedTable();
  InducedEdgeTable::Cursor one, other;
  EXPECT_EQ(table.FirstEdge(0, &one), 0u);
  EXPECT_EQ(table.FirstEdge(2, &one), 3u);
  EXPECT_EQ(table.FirstEdge(2, &one), 3u);
  EXPECT_EQ(table.FirstEdge(1, &other), 2u);
}

TEST(InducedEdgeTable, ReleasesEdgesWithOwners) {
  InducedEdgeTable table = CountedTable();
  table.Allocate(true);
  EXPECT_TRUE(table.has_positions());
  const InducedEdges edges = table.edges();
  for (uint32_t i = 0; i < 5; ++i) {
    edges.numbers[i] = 10 + i;
    edges.edge_ids[i] = 20 + i;
    edges.positions[i] = 30 + i;
  }
  table.SetOwner({1}, 4);
  table.SetOwner({0, 2}, 7);
  EXPECT_EQ(table.bytes(), 12u + 112u);
  const SampledHop hop = table.Release();
  EXPECT_EQ(hop.first_local, 0u);
  EXPECT_EQ(hop.counts, (std::vector<uint32_t>{2, 1, 2}));
  EXPECT_EQ(hop.src, (std::vector<uint32_t>{10, 11, 12, 13, 14}));
  EXPECT_EQ(hop.edge_ids, (std::vector<int64_t>{20, 21, 22, 23, 24}));
  EXPECT_EQ(hop.positions, (std::vector<uint64_t>{30, 31, 32, 33, 34}));
  EXPECT_EQ(hop.owners, (std::vector<uint32_t>{7, 4, 7}));
}

TEST(InducedEdgeTable, HasNoPositionsUnlessWanted) {
  InducedEdgeTable table = CountedTable();
  table.Allocate(false);
  EXPECT_FALSE(table.has_positions());
  EXPECT_EQ(table.edges().positions, nullptr);
  EXPECT_TRUE(table.Release().positions.empty());
}

TEST(InducedEdgeTable, MayHaveNoEdges) {
  InducedEdgeTable table(3);
  EXPECT_EQ(table.NumEdges(), 0u);
  table.Allocate(true);
  EXPECT_FALSE(table.has_positions());
  EXPECT_TRUE(table.Release().src.empty());
}

}  // namespace
}  // namespace tributary
