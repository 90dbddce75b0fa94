#include "partition/pipeline/mpi/sorted_runs.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "partition/pipeline/mpi/distributed_graph.h"

namespace tributary {
namespace {

TEST(SortedRunsTest, MergesDistinctHalfEdgesOfManyRuns) {
  for (const size_t run_edges : {1, 7, 100, 100000}) {
    std::mt19937 random(run_edges);
    SortedRuns runs(run_edges);
    std::set<HalfEdge> expected;
    for (int block = 0; block < 50; ++block) {
      std::vector<HalfEdge> edges(random() % 40);
      for (HalfEdge& edge : edges) {
        edge = {static_cast<int64_t>(random() % 20),
                static_cast<int64_t>(random() % 20)};
        expected.insert(edge);
      }
      runs.Add(edges);
    }
    EXPECT_GE(runs.size(), expected.size());
    std::vector<HalfEdge> merged;
    runs.Merge([&](const HalfEdge& edge) { merged.push_back(edge); });
    EXPECT_EQ(merged, std::vector<HalfEdge>(expected.begin(), expected.end()))
        << run_edges;
  }
}

TEST(SortedRunsTest, NothingComesOfNothing) {
  SortedRuns runs;
  runs.Merge([](const HalfEdge&) { FAIL(); });
}

TEST(NodeSharesTest, NumbersAreAPermutationByRankAndRow) {
  for (const int64_t nodes : {0, 1, 5, 12, 13}) {
    for (const int ranks : {1, 3, 4, 7}) {
      const NodeShares shares(nodes, ranks);
      std::set<int64_t> numbers;
      int64_t rows = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_EQ(shares.Begin(rank), rows);
        rows += shares.Rows(rank);
      }
      EXPECT_EQ(rows, nodes);
      for (int64_t node = 0; node < nodes; ++node) {
        EXPECT_LT(shares.Row(node), shares.Rows(shares.Rank(node)));
        numbers.insert(shares.Number(node));
      }
      EXPECT_EQ(static_cast<int64_t>(numbers.size()), nodes);
      if (nodes > 0) {
        EXPECT_EQ(*numbers.begin(), 0);
        EXPECT_EQ(*numbers.rbegin(), nodes - 1);
      }
    }
  }
}

}  // namespace
}  // namespace tributary
