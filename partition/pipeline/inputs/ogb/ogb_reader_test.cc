// Reading OGB's layout: the content, and errors.
#include <cmath>
#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/pipeline/inputs/input.h"
#include "partition/pipeline/testing/ogb_folder.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST_F(OgbTest, EdgesByDestination) {
  const auto input = Read();
  ASSERT_TRUE(input.ok()) << input.status();
  const Adjacency& edges = input->content.edge_types[0].in_edges;
  EXPECT_EQ(EdgesInto(edges, 0), std::vector<InEdge>{});
  EXPECT_EQ(EdgesInto(edges, 1), (std::vector<InEdge>{{0, 0}, {2, 1}}));
  EXPECT_EQ(EdgesInto(edges, 3), (std::vector<InEdge>{{3, 2}}));
  EXPECT_EQ(input->content.node_types[0].x, nullptr);
  EXPECT_TRUE(input->content.splits.empty());
}

TEST_F(OgbTest, ReverseInterleavesAndDoublesLoops) {
  const auto input = Read(/*add_reverse=*/true);
  ASSERT_TRUE(input.ok()) << input.status();
  const Adjacency& edges = input->content.edge_types[0].in_edges;
  EXPECT_EQ(EdgesInto(edges, 0), (std::vector<InEdge>{{1, 1}}));
  EXPECT_EQ(EdgesInto(edges, 1), (std::vector<InEdge>{{0, 0}, {2, 2}}));
  EXPECT_EQ(EdgesInto(edges, 2), (std::vector<InEdge>{{1, 3}}));
  EXPECT_EQ(EdgesInto(edges, 3), (std::vector<InEdge>{{3, 4}, {3, 5}}));
}

// First edges are reversed, then of edges with equal ends the one with the
// lowest id is kept.
TEST_F(OgbTest, DedupeAfterReverse) {
  Write("raw/edge.csv", "0,1\n1,0\n0,1\n");
  const auto both = Read(true, true);
  ASSERT_TRUE(both.ok()) << both.status();
  const Adjacency& edges = both->content.edge_types[0].in_edges;
  EXPECT_EQ(EdgesInto(edges, 1), (std::vector<InEdge>{{0, 0}}));
  EXPECT_EQ(EdgesInto(edges, 0), (std::vector<InEdge>{{1, 1}}));
  EXPECT_EQ(Read(false, false)->content.edge_types[0].in_edges.num_edges(), 3);
}

TEST_F(OgbTest, EdgeAttrFollowsTheInputRow) {
  Write("raw/edge-feat.csv", "1,10\n2,20\n3,30\n");
  const auto input = Read(/*add_reverse=*/true);
  ASSERT_TRUE(input.ok()) << input.status();
  const EdgeContent& edges = input->content.edge_types[0];
  EXPECT_EQ(edges.edge_attr->schema(), (ColumnSchema{DType::kFloat32, 2}));
  for (uint64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(edges.AttrRow(i), edges.in_edges.edge(i).edge_id / 2);
  }
}

// Rows of the graph's three edges, 0>1 2>1 3>3.
TEST_F(OgbTest, EdgeSplitsAreRowsWhereTheUserSaysSo) {
  Write("split/a/train.csv", "1\n");
  Write("split/b/train.csv", "2\n0\n2\n");
  InputOptions options{.folder = folder_.path(), .edge_splits = {"b"}};
  auto input = ReadInput(options);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_TRUE(input->notes.empty());
  ASSERT_EQ(input->content.splits.size(), 2);
  EXPECT_EQ(input->content.splits[0].type, "node");
  const SplitContent& rows = input->content.splits[1];
  EXPECT_EQ(rows.type, "node,to,node");
  EXPECT_EQ(rows.scheme, "b");
  EXPECT_EQ(rows.ids, (std::vector<int64_t>{3, 3, 2, 0, 1, 0, 3, 3, 2}));
  // Of an edge and its reverse, the id is that of the edge.
  options.add_reverse = true;
  input = ReadInput(options);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->content.splits[1].ids,
            (std::vector<int64_t>{3, 3, 4, 0, 1, 0, 3, 3, 4}));

  Write("split/b/train.csv", "3\n");
  EXPECT_THAT(std::string(ReadInput(options).status().message()),
              HasSubstr("train.csv line 1: \"3\"; allowed: edge ids 0 to 2"));
  Write("split/b/train.csv", "9\n");
  EXPECT_THAT(std::string(Read().status().message()),
              HasSubstr("--edge-splits b"));
  options.edge_splits = {"c"};
  EXPECT_THAT(std::string(ReadInput(options).status().message()),
              HasSubstr("allowed: a, b"));
}

// Parallel edges 0>1 with ids 0 and 3; dedupe leaves the first.
TEST_F(OgbTest, EdgeSplitsArePairsByTwoColumns) {
  Write("raw/num-edge-list.csv", "4\n");
  Write("raw/edge.csv", "0,1\n2,1\n3,3\n0,1\n");
  Write("split/a/train.csv", "0,1\n1,0\n");
  Write("split/a/test_neg.csv", "3,0\n");
  Write("split/rows/valid.csv", "3\n");
  InputOptions options{.folder = folder_.path(), .edge_splits = {"rows"}};
  auto input = ReadInput(options);
  ASSERT_TRUE(input.ok()) << input.status();
  ASSERT_EQ(input->content.splits.size(), 3);
  EXPECT_EQ(input->content.splits[0].name, "test_neg");
  EXPECT_EQ(input->content.splits[0].ids, (std::vector<int64_t>{3, 0, -1}));
  EXPECT_EQ(input->content.splits[1].ids,
            (std::vector<int64_t>{0, 1, 0, 1, 0, -1}));
  EXPECT_EQ(input->content.splits[2].ids, (std::vector<int64_t>{0, 1, 3}));
  options.dedupe = true;
  input = ReadInput(options);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->content.splits[2].ids, (std::vector<int64_t>{0, 1, 0}));

  Write("split/a/train.csv", "0,1\n1,4\n");
  EXPECT_THAT(std::string(ReadInput(options).status().message()),
              HasSubstr("train.csv line 2: \"4\"; allowed: node ids 0 to 3"));
  Write("split/a/train.csv", "0,1\n1\n");
  EXPECT_THAT(std::string(ReadInput(options).status().message()),
              HasSubstr("1 cells; allowed: 2"));
}

TEST_F(OgbTest, GzipAndPlainAndWindowsLinesAreEqual) {
  fs::remove(folder_.File("raw/edge.csv"));
  WriteGzip("raw/edge.csv.gz", "0,1\r\n2,1\r\n3,3");
  const auto input = Read();
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(EdgesInto(input->content.edge_types[0].in_edges, 1),
            (std::vector<InEdge>{{0, 0}, {2, 1}}));
}

TEST_F(OgbTest, FeaturesAreFloatAlsoWhenWhole) {
  Write("raw/node-feat.csv", "1\n2\n3\n-0\n");
  const auto input = Read();
  ASSERT_TRUE(input.ok()) << input.status();
  const RowSource& x = *input->content.node_types[0].x;
  EXPECT_EQ(x.schema(), (ColumnSchema{DType::kFloat32, 1}));
  EXPECT_EQ(Values<float>(x), (std::vector<float>{1, 2, 3, 0}));
  EXPECT_TRUE(std::signbit(Values<float>(x)[3]));
}

TEST_F(OgbTest, LabelsAreWholeOrAllFloat) {
  Write("raw/node-label.csv", "1\n-1\n3.0\n4\n");
  auto input = Read();
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->content.node_types[0].y->schema(),
            (ColumnSchema{DType::kInt64, 0}));
  EXPECT_EQ(Values<int64_t>(*input->content.node_types[0].y),
            (std::vector<int64_t>{1, -1, 3, 4}));
  Write("raw/node-label.csv", "1,0\n0,1\n2,3\n4,0.5\n");
  input = Read();
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->content.node_types[0].y->schema(),
            (ColumnSchema{DType::kFloat32, 2}));
  EXPECT_EQ(Values<float>(*input->content.node_types[0].y),
            (std::vector<float>{1, 0, 0, 1, 2, 3, 4, 0.5}));
}

TEST_F(OgbTest, SplitsKeepOrderAndRepeats) {
  Write("split/b/train.csv", "3\n0\n3\n");
  Write("split/a/test.csv", "");
  const auto input = Read();
  ASSERT_TRUE(input.ok()) << input.status();
  ASSERT_EQ(input->content.splits.size(), 2);
  EXPECT_EQ(input->content.splits[0].scheme, "a");
  EXPECT_EQ(input->content.splits[1].ids, (std::vector<int64_t>{3, 0, 3}));
}

TEST_F(OgbTest, NumbersOfRowsMustFit) {
  Write("raw/num-edge-list.csv", "2\n");
  ExpectRefused("edge.csv line 3", "one row more");
  Write("raw/num-edge-list.csv", "4\n");
  ExpectRefused("edge.csv", "has 3 rows; wanted: 4");
  Write("raw/num-edge-list.csv", "2\n1\n");
  ExpectRefused("num-edge-list.csv line 2", "one row more");
  Write("raw/num-edge-list.csv", "-3\n");
  ExpectRefused("num-edge-list.csv line 1", "one whole number");
  Write("raw/num-edge-list.csv", "3\n");
  Write("raw/node-label.csv", "1\n2\n3\n");
  ExpectRefused("node-label.csv", "has 3 rows; wanted: 4");
}

TEST_F(OgbTest, EdgesMustBePairsOfNodes) {
  const std::pair<std::string, std::string> cases[] = {
      {"0,1\n2,4\n3,3\n", "\"4\"; allowed: node ids 0 to 3"},
      {"0,1\n-2,1\n3,3\n", "\"-2\""},
      {"0,1\n2\n3,3\n", "1 cells; the first row has 2"},
      {"0,1\n2,1,5\n3,3\n", "3 cells"},
      {"0,1\n\n3,3\n", "1 cells"},
      {"0,1\n2,\n3,3\n", "an empty cell"},
      {"0,1\n2,x\n3,3\n", "\"x\""},
      {"0,1\n2,1.5\n3,3\n", "\"1.5\""},
  };
  for (const auto& [text, what] : cases) {
    Write("raw/edge.csv", text);
    ExpectRefused("edge.csv line 2", what);
  }
  Write("raw/edge.csv", "0,1,2\n2,1,2\n3,3,2\n");
  ExpectRefused("edge.csv line 1", "3 cells; allowed: 2");
}

TEST_F(OgbTest, CellsMustBeNumbers) {
  const std::pair<std::string, std::string> cases[] = {
      {"1,2\n3,\n5,6\n7,8\n", "an empty cell"},
      {"1,2\n3, \n5,6\n7,8\n", "an empty cell"},
      {"1,2\n3\n5,6\n7,8\n", "1 cells; the first row has 2"},
      {"1,2\n3,abc\n5,6\n7,8\n", "\"abc\""},
      {"1,2\n3,1e39\n5,6\n7,8\n", "\"1e39\""},
  };
  for (const std::string path : {"raw/node-feat.csv", "raw/node-label.csv"}) {
    for (const auto& [text, what] : cases) {
      Write(path, text);
      ExpectRefused(path + " line 2", what);
    }
    fs::remove(folder_.File(path));
  }
}

TEST_F(OgbTest, SplitIdsMustBeNodes) {
  Write("split/a/train.csv", "0\n4\n");
  ExpectRefused("train.csv line 2", "\"4\"; allowed: node ids 0 to 3");
  Write("split/a/train.csv", "0\n\n1\n");
  ExpectRefused("train.csv line 2", "an empty cell");
  Write("split/a/train.csv", "1\n0\n0\n1\n");
  ExpectRefused("train.csv", "4 numbers 0 and 1 alone, as a mask has");
}

TEST_F(OgbTest, DamagedGzipIsDataLoss) {
  fs::remove(folder_.File("raw/edge.csv"));
  WriteGzip("raw/edge.csv.gz", "0,1\n2,1\n3,3\n");
  const std::string path = folder_.File("raw/edge.csv.gz");
  fs::resize_file(path, fs::file_size(path) - 9);
  const absl::Status status = Read().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("edge.csv.gz"));
}

TEST_F(OgbTest, MissingAndDoubleFilesAreNamed) {
  WriteGzip("raw/edge.csv.gz", "0,1\n");
  ExpectRefused("raw/edge", "remove one of them");
  fs::remove(folder_.File("raw/edge.csv.gz"));
  fs::remove(folder_.File("raw/num-node-list.csv"));
  EXPECT_EQ(Read().status().code(), absl::StatusCode::kNotFound);
}

TEST_F(OgbTest, MoreNodesThanMemoryAreRefused) {
  Write("raw/num-node-list.csv", "1000000000000000\n");
  ExpectRefused("raw/num-node-list", "says 1000000000000000 nodes");
}

TEST_F(OgbTest, UnknownFormatsAreNamed) {
  const auto unknown = ReadInput({.folder = folder_.path(), .format = "gml"});
  EXPECT_EQ(unknown.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(unknown.status().message()),
              HasSubstr("--format \"gml\"; allowed: ogb"));
}

}  // namespace
}  // namespace tributary
