// CollegeMsg, messages with times, from OGB's files to a folder and back.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/graph.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/check/inspect.h"
#include "partition/pipeline/check/verify.h"
#include "partition/pipeline/inputs/input.h"
#include "partition/pipeline/partitioners/partitioner.h"
#include "partition/writer/writer.h"

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Its splits are rows of edges.
InputOptions Options(bool add_reverse) {
  return {.folder = "tests/data/collegemsg",
          .add_reverse = add_reverse,
          .edge_time = "edge-time",
          .edge_splits = {"time"}};
}

// The digests were computed from the files by another program.
TEST(CollegeMsg, HasItsKnownTimes) {
  for (const auto& [add_reverse, digest] :
       {std::pair(false,
                  "9b85f780d85b155206e4cdd975faa606bacc3f916e3feb1eee3a11"
                  "428bcaa25c"),
        std::pair(true,
                  "169b66bde3aeecda9cd3aff16957a0e2c9db427861655a067868d4"
                  "a470a8970f")}) {
    SCOPED_TRACE(add_reverse);
    const auto input = ReadInput(Options(add_reverse));
    ASSERT_TRUE(input.ok()) << input.status();
    EXPECT_TRUE(input->notes.empty());
    const TemporaryFolder folder;
    auto plan = PlanNodes(input->content, {"random", 3, 0});
    ASSERT_TRUE(plan.ok()) << plan.status();
    const auto schema = WriteGraph(input->content, *plan, folder.File("graph"),
                                   {.made_by = "test", .flush = false});
    ASSERT_TRUE(schema.ok()) << schema.status();
    EXPECT_EQ(ToHex(schema->content_digest), digest);
    EXPECT_EQ(schema->node_types[0].num_nodes, 1899);
    EXPECT_EQ(schema->edge_types[0].num_edges, add_reverse ? 119670 : 59835);
    const auto back = VerifyGraph(folder.File("graph"));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(CompareContent(*back, input->content).ok());
    const auto graph = Graph::Open(folder.File("graph"));
    ASSERT_TRUE(graph.ok()) << graph.status();
    const auto figures = InspectGraph(**graph);
    ASSERT_TRUE(figures.ok()) << figures.status();
    EXPECT_EQ(figures->edge_types[0].time, (TimeRange{1082040961, 1098777142}));
    EXPECT_EQ(figures->edge_types[0].max_degree, add_reverse ? 1546 : 558);
    EXPECT_EQ((*graph)->EdgeSplit(0, "train")->size(), 3 * 41884);
    EXPECT_EQ((*graph)->EdgeSplit(0, "time/valid")->size(), 3 * 8975);
    EXPECT_EQ((*graph)->EdgeSplit(0, "test")->size(), 3 * 8976);
  }
}

// Node 1623 has the most in-edges, 558.
TEST(CollegeMsg, OrdersTheMessagesOfANode) {
  const auto input = ReadInput(Options(false));
  ASSERT_TRUE(input.ok()) << input.status();
  const TemporaryFolder folder;
  auto plan = PlanNodes(input->content, {"random", 2, 0});
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_TRUE(WriteGraph(input->content, *plan, folder.File("graph"),
                         {.made_by = "test", .flush = false})
                  .ok());
  const auto graph = Graph::Open(folder.File("graph"));
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto where = (*graph)->node_map(0).Locate(1623);
  ASSERT_TRUE(where.ok()) << where.status();
  const EdgePartition& edges = *(*graph)->edges(0, where->partition);
  const uint64_t begin = edges.indptr[where->row];
  const uint64_t last = edges.indptr[where->row + 1] - 1;
  ASSERT_EQ(last - begin, 557);
  const TimeOrder& order = edges.edge_time;
  EXPECT_THAT(order.time.subspan(begin, 4),
              ElementsAre(1086550517, 1086558469, 1086559945, 1086562805));
  EXPECT_EQ(order.position[begin], 123);
  EXPECT_EQ(order.position[begin + 1], 278);
  EXPECT_EQ(order.time[last], 1098777142);
  EXPECT_EQ(order.position[last], 557);
}

TEST(CollegeMsg, SplitsOfEdgesAreNoSplitsOfNodes) {
  InputOptions options = Options(false);
  options.edge_splits.clear();
  const absl::Status status = ReadInput(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("--edge-splits time"));
}

}  // namespace
}  // namespace tributary
