// Reading OGB's heterogeneous layout into content.
#include <algorithm>

#include "partition/pipeline/testing/hetero_folder.h"

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<InEdge> EdgesInto(const EdgeContent& type, int64_t v) {
  std::vector<InEdge> result;
  const auto indptr = type.in_edges.indptr();
  for (uint64_t i = indptr[v]; i < indptr[v + 1]; ++i) {
    result.push_back(type.in_edges.edge(i));
  }
  return result;
}

std::vector<std::string> EdgeTypes(const Input& input) {
  std::vector<std::string> names;
  for (const auto& type : input.content.edge_types) {
    names.push_back(type.name());
  }
  return names;
}

TEST_F(HeteroTest, TypesAscendWhateverTheFilesOrder) {
  const auto input = Read();
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_TRUE(input->content.heterogeneous);
  const auto& types = input->content.node_types;
  ASSERT_EQ(types.size(), 3);
  EXPECT_EQ(types[0].name, "author");
  EXPECT_EQ(types[0].num_nodes, 3);
  EXPECT_EQ(types[1].name, "field");
  EXPECT_EQ(types[1].num_nodes, 2);
  EXPECT_EQ(types[2].name, "paper");
  EXPECT_EQ(types[2].num_nodes, 4);
  EXPECT_THAT(EdgeTypes(*input),
              ElementsAre("author,writes,paper", "paper,cites,paper"));
  EXPECT_EQ(input->content.edge_types[0].src_type, 0);
  EXPECT_EQ(input->content.edge_types[0].dst_type, 2);
  EXPECT_THAT(input->notes, IsEmpty());
}

TEST_F(HeteroTest, ColumnsOfTheTypesThatHaveThem) {
  const auto input = Read();
  ASSERT_TRUE(input.ok()) << input.status();
  const auto& types = input->content.node_types;
  ASSERT_NE(types[0].x, nullptr);
  EXPECT_EQ(types[0].x->schema(), (ColumnSchema{DType::kFloat32, 2}));
  float row[2];
  const int64_t last = 2;
  types[0].x->CopyRows({&last, 1}, reinterpret_cast<uint8_t*>(row));
  EXPECT_THAT(row, ElementsAre(5, 6));
  EXPECT_EQ(types[0].y, nullptr);
  EXPECT_EQ(types[1].x, nullptr);
  EXPECT_EQ(types[2].x, nullptr);
  ASSERT_NE(types[2].y, nullptr);
  EXPECT_EQ(types[2].y->schema(), (ColumnSchema{DType::kInt64, 0}));
  EXPECT_NE(input->content.edge_types[0].edge_attr, nullptr);
  EXPECT_EQ(input->content.edge_types[1].edge_attr, nullptr);
}

// Columns of one relation and one type only; the reverse relation shares them.
TEST_F(HeteroTest, NamedColumnsOfThoseThatHaveThem) {
  Write(kWrites + "w.csv", "0.5\n1.5\n2.5\n");
  Write(kCites + "t.csv", "7\n8\n9\n");
  Write("raw/year/paper/year.csv", "1\n2\n3\n4\n");
  Write(kCites + "old.csv", "0\n1\n0\n");
  Write(kCites + "train.csv", "1\n1\n0\n");
  Write(kWrites + "train.csv", "False\nTrue\nTrue\n");
  const InputOptions options{.folder = folder_.path(),
                             .add_reverse = true,
                             .edge_weight = "w",
                             .edge_time = "t",
                             .node_time = "year",
                             .edge_masks = {"train", "old"}};
  const auto input = ReadInput(options);
  ASSERT_TRUE(input.ok()) << input.status();
  const auto& types = input->content.node_types;
  EXPECT_EQ(types[0].time, nullptr);
  EXPECT_EQ(types[1].time, nullptr);
  ASSERT_NE(types[2].time, nullptr);
  // writes, cites, rev_cites, rev_writes
  const auto& edges = input->content.edge_types;
  ASSERT_EQ(edges.size(), 4);
  EXPECT_NE(edges[0].weight, nullptr);
  EXPECT_EQ(edges[0].time, nullptr);
  EXPECT_EQ(edges[1].weight, nullptr);
  EXPECT_NE(edges[1].time, nullptr);
  EXPECT_EQ(edges[2].time, edges[1].time);
  EXPECT_EQ(edges[3].weight, edges[0].weight);
  EXPECT_EQ(edges[0].masks.size(), 1);
  EXPECT_TRUE(edges[0].masks.contains("train"));
  EXPECT_EQ(edges[1].masks.size(), 2);
  EXPECT_EQ(edges[2].masks, edges[1].masks);
  EXPECT_EQ(edges[3].masks, edges[0].masks);
  EXPECT_TRUE(CheckContent(input->content).ok());
}

TEST_F(HeteroTest, NamedColumnsThatNobodyHasAreRefused) {
  const std::pair<InputOptions, const char*> cases[] = {
      {{.folder = folder_.path(), .edge_weight = "w"},
       "raw/relations/*/w.csv.gz (or .csv), which --edge-weight names"},
      {{.folder = folder_.path(), .edge_time = "t"},
       "raw/relations/*/t.csv.gz (or .csv), which --edge-time names"},
      {{.folder = folder_.path(), .node_time = "year"},
       "raw/year/<type>/year.csv.gz (or .csv), which --node-time names"},
      {{.folder = folder_.path(), .edge_masks = {"m"}},
       "raw/relations/*/m.csv.gz (or .csv), which --edge-masks names"}};
  for (const auto& [options, what] : cases) {
    const absl::Status status = ReadInput(options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(what));
  }
}

TEST_F(HeteroTest, EdgesByDestinationOfEachRelation) {
  const auto input = Read();
  ASSERT_TRUE(input.ok()) << input.status();
  const EdgeContent& writes = input->content.edge_types[0];
  EXPECT_THAT(EdgesInto(writes, 0), ElementsAre(InEdge{1, 2}));
  EXPECT_THAT(EdgesInto(writes, 3), ElementsAre(InEdge{0, 0}, InEdge{2, 1}));
  const EdgeContent& cites = input->content.edge_types[1];
  EXPECT_THAT(EdgesInto(cites, 1), ElementsAre(InEdge{1, 0}, InEdge{1, 2}));
  EXPECT_THAT(EdgesInto(cites, 2), ElementsAre(InEdge{3, 1}));
}

// writes: 0>3 2>3 1>0. In a folder named after the relation, rows or pairs.
TEST_F(HeteroTest, SplitsOfEdgesLieWithTheirRelation) {
  Write("split/time/author___writes___paper/train.csv", "2\n0\n");
  Write("split/time/author___writes___paper/test_neg.csv", "1,3\n");
  Write("split/time/paper___cites___paper/test.csv", "1,1\n");
  const auto input = Read(/*add_reverse=*/true);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_THAT(input->notes, IsEmpty());
  const auto& splits = input->content.splits;
  ASSERT_EQ(splits.size(), 5);
  EXPECT_EQ(splits[0].type, "author,writes,paper");
  EXPECT_EQ(splits[0].name, "test_neg");
  EXPECT_THAT(splits[0].ids, ElementsAre(1, 3, -1));
  EXPECT_THAT(splits[1].ids, ElementsAre(1, 0, 2, 0, 3, 0));
  EXPECT_EQ(splits[2].type, "paper");
  EXPECT_EQ(splits[4].type, "paper,cites,paper");
  EXPECT_THAT(splits[4].ids, ElementsAre(1, 1, 0));  // of two, the lowest
  ExpectRefused("split/time/paper___cites___paper/test.csv", "3\n",
                "test.csv line 1", "allowed: edge ids 0 to 2");
  // Its other files are then not read as splits of nodes.
  const auto edges =
      ReadInput({.folder = folder_.path(), .edge_splits = {"time"}});
  ASSERT_TRUE(edges.ok()) << edges.status();
  EXPECT_EQ(edges->content.splits.size(), 3);
}

TEST_F(HeteroTest, SplitsByTypeInTheFilesOrder) {
  const auto input = Read();
  ASSERT_TRUE(input.ok()) << input.status();
  ASSERT_EQ(input->content.splits.size(), 2);
  EXPECT_EQ(input->content.splits[0].name, "test");
  const SplitContent& train = input->content.splits[1];
  EXPECT_EQ(train.scheme, "time");
  EXPECT_EQ(train.type, "paper");
  EXPECT_EQ(train.name, "train");
  EXPECT_THAT(train.ids, ElementsAre(3, 0));
}

// The same ids, which lead to the same rows of attributes.
TEST_F(HeteroTest, ReverseIsARelationOfItsOwn) {
  const auto input = Read(/*add_reverse=*/true);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_THAT(EdgeTypes(*input),
              ElementsAre("author,writes,paper", "paper,cites,paper",
                          "paper,rev_cites,paper", "paper,rev_writes,author"));
  const EdgeContent& cited = input->content.edge_types[2];
  EXPECT_THAT(EdgesInto(cited, 1), ElementsAre(InEdge{1, 0}, InEdge{1, 2}));
  EXPECT_THAT(EdgesInto(cited, 3), ElementsAre(InEdge{2, 1}));
  const EdgeContent& written = input->content.edge_types[3];
  EXPECT_EQ(written.src_type, 2);
  EXPECT_EQ(written.dst_type, 0);
  EXPECT_THAT(EdgesInto(written, 2), ElementsAre(InEdge{3, 1}));
  EXPECT_EQ(written.AttrRow(2), 1);
  EXPECT_EQ(written.edge_attr, input->content.edge_types[0].edge_attr);
}

TEST_F(HeteroTest, DedupeWithinEachRelation) {
  const auto input = Read(/*add_reverse=*/true, /*dedupe=*/true);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_THAT(EdgesInto(input->content.edge_types[1], 1),
              ElementsAre(InEdge{1, 0}));
  EXPECT_THAT(EdgesInto(input->content.edge_types[2], 1),
              ElementsAre(InEdge{1, 0}));
  EXPECT_EQ(input->content.edge_types[0].in_edges.num_edges(), 3);
}

TEST_F(HeteroTest, AReverseThatIsThereIsRefused) {
  Write("raw/triplet-type-list.csv",
        "author,writes,paper\npaper,cites,paper\npaper,rev_writes,author\n");
  ExpectError(absl::StatusCode::kInvalidArgument,
              "triplet-type-list.csv line 1",
              "paper,rev_writes,author is there already",
              /*add_reverse=*/true);
  // Without --add-reverse it is a relation like any other.
  Write("raw/relations/paper___rev_writes___author/edge.csv", "3,1\n");
  Write("raw/relations/paper___rev_writes___author/num-edge-list.csv", "1\n");
  EXPECT_TRUE(Read().ok()) << Read().status();
}

TEST_F(HeteroTest, AReverseNeedsAName) {
  Write("raw/triplet-type-list.csv", "paper,_of,paper\n");
  ExpectError(absl::StatusCode::kInvalidArgument,
              "triplet-type-list.csv line 1", "'rev__of'",
              /*add_reverse=*/true);
}

TEST_F(HeteroTest, NoRelationsAndOneTypeIsStillTyped) {
  Write("raw/num-node-dict.csv", "author\n3\n");
  Write("raw/triplet-type-list.csv", "");
  Write("raw/nodetype-has-feat.csv", "author\nTrue\n");
  Remove("raw/nodetype-has-label.csv");
  Remove("raw/node-label");
  Remove("raw/relations");
  Remove("split");
  const auto input = Read();
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_TRUE(input->content.heterogeneous);
  EXPECT_THAT(input->content.edge_types, IsEmpty());
}

TEST_F(HeteroTest, WithoutTablesTheFilesSpeak) {
  Remove("raw/nodetype-has-feat.csv");
  Remove("raw/nodetype-has-label.csv");
  Remove("split/time/nodetype-has-split.csv");
  const auto input = Read();
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_NE(input->content.node_types[0].x, nullptr);
  EXPECT_NE(input->content.node_types[2].y, nullptr);
  EXPECT_EQ(input->content.splits.size(), 2);
}

}  // namespace
}  // namespace tributary
