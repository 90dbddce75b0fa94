// Errors and notes for incorrect folders in OGB's heterogeneous layout.
#include "partition/pipeline/testing/hetero_folder.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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
