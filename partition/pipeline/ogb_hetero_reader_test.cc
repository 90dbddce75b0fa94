// OGB's heterogeneous layout read into content: what is taken, what is refused
// and how.
#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/input.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// 3 authors (with x), 2 fields, 4 papers (with y); authors write papers (with
// attributes), papers cite papers, nothing leads to a field.
class HeteroTest : public testing::Test {
 protected:
  void SetUp() override {
    Write("raw/num-node-dict.csv", "paper,author,field\n4,3,2\n");
    Write("raw/triplet-type-list.csv",
          "paper,cites,paper\nauthor,writes,paper\n");
    Write(kWrites + "edge.csv", "0,3\n2,3\n1,0\n");
    Write(kWrites + "num-edge-list.csv", "3\n");
    Write(kWrites + "edge-feat.csv", "0.5\n1.5\n2.5\n");
    Write(kCites + "edge.csv", "1,1\n3,2\n1,1\n");
    Write(kCites + "num-edge-list.csv", "3\n");
    Write("raw/node-feat/author/node-feat.csv", "1,2\n3,4\n5,6\n");
    Write("raw/node-label/paper/node-label.csv", "2\n-1\n0\n1\n");
    Write("raw/nodetype-has-feat.csv",
          "author,paper,field\nTrue,False,False\n");
    Write("raw/nodetype-has-label.csv", "author,paper\nFalse,True\n");
    Write("split/time/paper/train.csv", "3\n0\n");
    Write("split/time/paper/test.csv", "1\n");
    Write("split/time/nodetype-has-split.csv", "paper,field\nTrue,False\n");
  }
  void Write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(folder_.File(path)).parent_path());
    std::ofstream(folder_.File(path), std::ios::binary) << text;
  }
  void Remove(const std::string& path) { fs::remove_all(folder_.File(path)); }
  absl::StatusOr<Input> Read(bool add_reverse = false, bool dedupe = false) {
    return ReadInput({.folder = folder_.path(),
                      .add_reverse = add_reverse,
                      .dedupe = dedupe});
  }
  // Of a file that says `text`; the file is as it was afterwards.
  void ExpectRefused(const std::string& path, const std::string& text,
                     const std::string& where, const std::string& what) {
    const fs::path file = folder_.File(path), aside = folder_.File("aside");
    const bool was = fs::exists(file);
    if (was) fs::copy_file(file, aside, fs::copy_options::overwrite_existing);
    Write(path, text);
    ExpectError(absl::StatusCode::kInvalidArgument, where, what);
    fs::remove(file);
    if (was) fs::rename(aside, file);
  }
  void ExpectError(absl::StatusCode code, const std::string& where,
                   const std::string& what, bool add_reverse = false) {
    const absl::Status status = Read(add_reverse).status();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(where));
    EXPECT_THAT(std::string(status.message()), HasSubstr(what));
  }

  const std::string kWrites = "raw/relations/author___writes___paper/";
  const std::string kCites = "raw/relations/paper___cites___paper/";
  TemporaryFolder folder_;
};

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

// Of one relation and one type only; its reverse relation shares them.
TEST_F(HeteroTest, NamedColumnsOfThoseThatHaveThem) {
  Write(kWrites + "w.csv", "0.5\n1.5\n2.5\n");
  Write(kCites + "t.csv", "7\n8\n9\n");
  Write("raw/year/paper/year.csv", "1\n2\n3\n4\n");
  const InputOptions options{.folder = folder_.path(),
                             .add_reverse = true,
                             .edge_weight = "w",
                             .edge_time = "t",
                             .node_time = "year"};
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
  EXPECT_TRUE(CheckContent(input->content).ok());
}

TEST_F(HeteroTest, NamedColumnsThatNobodyHasAreRefused) {
  const std::pair<InputOptions, const char*> cases[] = {
      {{.folder = folder_.path(), .edge_weight = "w"},
       "raw/relations/*/w.csv.gz (or .csv), which --edge-weight names"},
      {{.folder = folder_.path(), .edge_time = "t"},
       "raw/relations/*/t.csv.gz (or .csv), which --edge-time names"},
      {{.folder = folder_.path(), .node_time = "year"},
       "raw/year/<type>/year.csv.gz (or .csv), which --node-time names"}};
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
  // Whose other files then count as no splits of nodes.
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

TEST_F(HeteroTest, TablesAndFilesMustAgree) {
  ExpectRefused("raw/nodetype-has-feat.csv", "author,paper\nTrue,True\n",
                "node-feat/paper/node-feat", "is not there, but");
  ExpectRefused("raw/nodetype-has-feat.csv", "author,paper\nFalse,False\n",
                "node-feat/author/node-feat", "is there, but");
  // A type that the table does not name has none.
  ExpectRefused("raw/nodetype-has-label.csv", "author\nFalse\n",
                "node-label/paper/node-label", "is there, but");
  ExpectRefused("split/time/nodetype-has-split.csv", "author\nTrue\n",
                "split/time/author/{train,valid,test}", "is not there, but");
}

TEST_F(HeteroTest, TablesMustBeWellFormed) {
  const std::string feat = "raw/nodetype-has-feat.csv";
  ExpectRefused(feat, "author,paper\nTrue,false\n", feat + " line 2",
                "\"false\" for paper; allowed: True, False");
  ExpectRefused(feat, "author,papre\nTrue,False\n", feat + " line 1",
                "\"papre\" is no node type; allowed: author, field, paper");
  ExpectRefused(feat, "author,author\nTrue,True\n", feat + " line 1",
                "author is named twice");
  ExpectRefused(feat, "author,paper\nTrue\n", feat + " line 2",
                "1 cells; the first row has 2");
  ExpectRefused(feat, "author\n", feat, "has 1 rows; allowed: 2");
  ExpectRefused(feat, "", feat, "has 0 rows; allowed: 2");
}

TEST_F(HeteroTest, NodeTypesMustBeNamedAndCounted) {
  const std::string dict = "raw/num-node-dict.csv";
  ExpectRefused(dict, "paper,author\n4,-3\n", dict + " line 2",
                "\"-3\" nodes of author; allowed: a whole number");
  ExpectRefused(dict, "paper,author\n4,\n", dict + " line 2", "\"\" nodes of");
  ExpectRefused(dict, "paper,author\n4,9223372036854775808\n", dict + " line 2",
                "9223372036854775808");
  ExpectRefused(dict, "paper,a__b\n4,3\n", dict + " line 1", "'a__b'");
  ExpectRefused(dict, "paper,a/b\n4,3\n", dict + " line 1", "'a/b'");
  ExpectRefused(dict, "paper,..\n4,3\n", dict + " line 1", "'..'");
  ExpectRefused(dict, "paper,\n4,3\n", dict + " line 1", "''");
  ExpectRefused(dict, "paper,paper\n4,3\n", dict + " line 1",
                "paper is named twice");
  ExpectRefused(dict, "paper,author\n4,3\n4,3\n", dict, "has 3 rows");
  ExpectRefused(dict, "paper,author,field\n4,1000000000000000,2\n",
                "num-node-dict", "more nodes than memory holds");
}

TEST_F(HeteroTest, RelationsMustBeTriplesOfTypes) {
  const std::string list = "raw/triplet-type-list.csv";
  ExpectRefused(list, "author,writes,paper\nauthor,writes,papre\n",
                list + " line 2",
                "\"papre\" is no node type of num-node-dict; allowed: author, "
                "field, paper");
  ExpectRefused(list, "writes,paper\n", list + " line 1",
                "2 cells; allowed: 3");
  ExpectRefused(list, "author,,paper\n", list + " line 1", "''");
  ExpectRefused(list, "author,wr__ites,paper\n", list + " line 1",
                "'wr__ites'");
  ExpectRefused(list, "author,writes,paper\nauthor,writes,paper\n",
                list + " line 2", "author,writes,paper is listed twice");
}

// author_,x and author,_x: both have the tensors edge_index/author___x__paper.
TEST_F(HeteroTest, NamesThatWouldMeetAreRefused) {
  Write("raw/num-node-dict.csv", "paper,author,author_\n4,3,2\n");
  ExpectRefused("raw/triplet-type-list.csv",
                "author_,x,paper\nauthor,_x,paper\n",
                "triplet-type-list.csv line 2",
                "author,_x,paper and author_,x,paper would both be called "
                "author___x__paper");
}

TEST_F(HeteroTest, EdgesMustJoinTheirTypes) {
  ExpectRefused(kWrites + "edge.csv", "0,3\n3,3\n1,0\n",
                "author___writes___paper/edge.csv line 2",
                "\"3\"; allowed: node ids 0 to 2");
  ExpectRefused(kWrites + "edge.csv", "0,3\n2,4\n1,0\n",
                "author___writes___paper/edge.csv line 2",
                "\"4\"; allowed: node ids 0 to 3");
  ExpectRefused(kWrites + "num-edge-list.csv", "4\n",
                "author___writes___paper/edge-feat.csv",
                "has 3 rows; wanted: 4");
  ExpectRefused(kCites + "num-edge-list.csv", "2\n",
                "paper___cites___paper/edge.csv line 3", "one row more");
  ExpectRefused(kCites + "edge-feat.csv", "1\n2\n",
                "paper___cites___paper/edge-feat.csv", "has 2 rows");
  ExpectRefused("raw/node-feat/author/node-feat.csv", "1,2\n3,4\n",
                "author/node-feat.csv", "has 2 rows; wanted: 3");
  ExpectRefused("raw/node-label/paper/node-label.csv", "1\n2\n3\nx\n",
                "paper/node-label.csv line 4", "\"x\"");
  ExpectRefused("split/time/paper/train.csv", "3\n4\n",
                "paper/train.csv line 2", "\"4\"; allowed: node ids 0 to 3");
}

TEST_F(HeteroTest, MissingFilesAreNamed) {
  fs::rename(folder_.File(kCites), folder_.File("raw/relations/elsewhere"));
  ExpectError(absl::StatusCode::kNotFound,
              "paper___cites___paper/num-edge-list.csv.gz", "is not there");
  Remove("raw/triplet-type-list.csv");
  ExpectError(absl::StatusCode::kNotFound, "raw/triplet-type-list.csv.gz",
              "is not there");
  Write("raw/triplet-type-list.csv", "");
  Remove("raw/num-node-dict.csv");
  ExpectError(absl::StatusCode::kNotFound, "raw/num-node-dict.csv.gz",
              "is not there");
}

TEST_F(HeteroTest, WhatIsOfNoTypeLeavesANote) {
  Write("raw/relations/paper___likes___paper/edge.csv", "0,0\n");
  Write("raw/node-feat/papre/node-feat.csv", "1\n");
  Write("raw/node-label/label/node-label.csv", "1\n");
  Write("split/time/train.csv", "0\n");
  Write("split/time/person/train.csv", "0\n");
  Write("split/pairs/paper/train.csv", "0,1\n");
  const auto input = Read();
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_THAT(
      input->notes,
      ElementsAre(HasSubstr("node-feat/papre is of no node type"),
                  HasSubstr("node-label/label is of no node type"),
                  HasSubstr("pairs/paper/train.csv has more than one column"),
                  HasSubstr("split/time/person is of no node type"),
                  HasSubstr("split/time/train.csv is of no node type"),
                  HasSubstr("paper___likes___paper is of no relation")));
}

}  // namespace
}  // namespace tributary
