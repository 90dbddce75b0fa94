#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/input.h"

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Four entities; relation 0 leads 0>1 and 2>1, relation 1 has no triple to
// train on, relation 2 leads 1>1.
class TriplesTest : public testing::Test {
 protected:
  void SetUp() override {
    Write("raw/num-node-list.csv", "4\n");
    Write("raw/num-relation-list.csv", "3\n");
    Write("raw/num-edge-list.csv", "3\n");
    Write("raw/train.csv", "0,0,1\n1,2,1\n2,0,1\n");
    Write("raw/test.csv", "3,1,0\n2,0,1\n");
  }

  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = folder_.File(path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
  void ExpectRefused(const std::string& what, InputOptions options = {}) {
    options.folder = folder_.path();
    const absl::Status status = ReadInput(options).status();
    EXPECT_THAT(std::string(status.message()), HasSubstr(what)) << status;
  }

  const TemporaryFolder folder_;
};

std::vector<int64_t> IdsOf(const GraphContent& content, const std::string& type,
                           const std::string& name) {
  for (const SplitContent& split : content.splits) {
    if (split.type == type && split.name == name) return split.ids;
  }
  return {};
}

TEST_F(TriplesTest, RelationsAreEdgeTypes) {
  const auto input = ReadInput({.folder = folder_.path()});
  ASSERT_TRUE(input.ok()) << input.status();
  const GraphContent& content = input->content;
  EXPECT_TRUE(CheckContent(content).ok());
  EXPECT_TRUE(content.heterogeneous);
  ASSERT_EQ(content.edge_types.size(), 3);
  EXPECT_EQ(content.edge_types[0].name(), "entity,r0,entity");
  const Adjacency& first = content.edge_types[0].in_edges;
  ASSERT_EQ(first.degree(1), 2);
  EXPECT_EQ(first.edge(0), (InEdge{0, 0}));
  EXPECT_EQ(first.edge(1), (InEdge{2, 1}));
  EXPECT_EQ(content.edge_types[1].in_edges.num_edges(), 0);
  EXPECT_EQ(content.edge_types[2].in_edges.num_edges(), 1);

  EXPECT_EQ(content.splits.size(), 4);
  EXPECT_THAT(IdsOf(content, "entity,r0,entity", "train"),
              ElementsAre(0, 1, 0, 2, 1, 1));
  EXPECT_THAT(IdsOf(content, "entity,r0,entity", "test"), ElementsAre(2, 1, 1));
  EXPECT_THAT(IdsOf(content, "entity,r1,entity", "test"),
              ElementsAre(3, 0, -1));
  EXPECT_THAT(IdsOf(content, "entity,r2,entity", "train"),
              ElementsAre(1, 1, 0));
}

TEST_F(TriplesTest, ReversesAreRelationsOfTheirOwn) {
  const auto input = ReadInput({.folder = folder_.path(), .add_reverse = true});
  ASSERT_TRUE(input.ok()) << input.status();
  ASSERT_EQ(input->content.edge_types.size(), 6);
  const EdgeContent& reverse = input->content.edge_types[3];
  EXPECT_EQ(reverse.name(), "entity,rev_r0,entity");
  ASSERT_EQ(reverse.in_edges.degree(2), 1);
  EXPECT_EQ(reverse.in_edges.edge(reverse.in_edges.indptr()[2]),
            (InEdge{1, 1}));
  EXPECT_EQ(input->content.splits.size(), 4);
}

TEST_F(TriplesTest, OfParallelsDedupeKeepsTheFirst) {
  Write("raw/num-edge-list.csv", "2\n");
  Write("raw/train.csv", "0,0,1\n0,0,1\n");
  const auto input = ReadInput({.folder = folder_.path(), .dedupe = true});
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->content.edge_types[0].in_edges.num_edges(), 1);
  EXPECT_THAT(IdsOf(input->content, "entity,r0,entity", "train"),
              ElementsAre(0, 1, 0, 0, 1, 0));
}

TEST_F(TriplesTest, BadFilesAreNamed) {
  Write("raw/test.csv", "3,1\n");
  ExpectRefused("test.csv line 1: 2 cells; allowed: 3, \"head,relation,tail\"");
  Write("raw/test.csv", "3,3,0\n");
  ExpectRefused("test.csv line 1: \"3\"; allowed: relation ids 0 to 2");
  Write("raw/test.csv", "0,1,4\n");
  ExpectRefused("test.csv line 1: \"4\"; allowed: node ids 0 to 3");
  Write("raw/test.csv", "");
  Write("raw/num-edge-list.csv", "4\n");
  ExpectRefused("has 3 rows; wanted: 4");
  Write("raw/num-relation-list.csv", "9000000000000000\n");
  ExpectRefused("allowed: this machine's memory");
  std::filesystem::remove(folder_.File("raw/train.csv"));
  Write("raw/num-relation-list.csv", "3\n");
  ExpectRefused("train.csv.gz (or .csv) is not there");
}

std::vector<std::string> RelationsOf(const absl::StatusOr<Input>& input) {
  EXPECT_TRUE(input.ok()) << input.status();
  std::vector<std::string> names;
  if (!input.ok()) return names;
  for (const EdgeContent& edges : input->content.edge_types) {
    names.push_back(edges.rel);
  }
  return names;
}

TEST_F(TriplesTest, RelationsKeepTheirNames) {
  Write("raw/relation.csv", "likes\nborn in\nknows\n");
  InputOptions options{.folder = folder_.path()};
  auto input = ReadInput(options);
  EXPECT_THAT(RelationsOf(input), ElementsAre("born in", "knows", "likes"));
  // Relation 0 leads 0>1 and 2>1.
  EXPECT_THAT(IdsOf(input->content, "entity,likes,entity", "train"),
              ElementsAre(0, 1, 0, 2, 1, 1));
  EXPECT_TRUE(CheckContent(input->content).ok());
  options.relation_names = "numbers";
  EXPECT_THAT(RelationsOf(ReadInput(options)), ElementsAre("r0", "r1", "r2"));
  options.relation_names = "words";
  ExpectRefused("--relation-names \"words\"; allowed: file, numbers",
                {.relation_names = "words"});
}

TEST_F(TriplesTest, NamesOfRelationsHoldAnyCharacters) {
  Write("raw/relation.csv", "/film/actor./film/performance\n..\n,2e,2e\n");
  ExpectRefused("line 3: 3 cells; the first row has 1");
  Write("raw/relation.csv", "/film/actor./film/performance\n..\nnée; a=b\n");
  EXPECT_THAT(RelationsOf(ReadInput({.folder = folder_.path()})),
              ElementsAre("..", "/film/actor./film/performance", "née; a=b"));
}

TEST_F(TriplesTest, RelationsHaveTheNamesOfOgbsMapping) {
  Write("mapping/relidx2relname.csv",
        "rel idx,rel name\n2,knows\n0,\"likes\"\n1,born\n");
  EXPECT_THAT(
      RelationsOf(ReadInput({.folder = folder_.path(), .add_reverse = true})),
      ElementsAre("born", "knows", "likes", "rev_born", "rev_knows",
                  "rev_likes"));
}

TEST_F(TriplesTest, BadNamesSayHowToGoOn) {
  const auto refused = [&](const std::string& text, const std::string& what,
                           bool add_reverse = false) {
    Write("raw/relation.csv", text);
    ExpectRefused(what, {.add_reverse = add_reverse});
  };
  refused("a\nb__c\nd\n", "relation.csv line 2: 'b__c' is no name of a type");
  refused("a\nb__c\nd\n", "--relation-names numbers");
  refused("a\n_b\nd\n", "relation.csv line 2: 'rev__b' is no name", true);
  refused("a\nb\na\n", "relation.csv line 3: \"a\" is in line 1 already");
  refused("a\nb\n", "has no name of relation 2");
  refused("a\nb\nc\nd\n", "line 4: relation 3; allowed: 0 to 2");
  refused("0,a\n1,b\n2,c\n", "line 1: 2 cells; allowed: 1");
  refused("a\nrev_a\nc\n", "line 2: \"rev_a\" is also the name", true);
  std::filesystem::remove(folder_.File("raw/relation.csv"));
  Write("mapping/relidx2relname.csv", "rel idx,rel name\n0,a\n0,b\n1,c\n");
  ExpectRefused("line 3: relation 0 has a name in line 2 already");
  Write("mapping/relidx2relname.csv", "rel idx,rel name\nzero,a\n");
  ExpectRefused("line 2: \"zero\"; allowed: the number of a relation");
}

TEST_F(TriplesTest, HasNoWeightsTimesOrRowsOfSplits) {
  ExpectRefused("--edge-weight w with triples", {.edge_weight = "w"});
  ExpectRefused("--node-time t with triples", {.node_time = "t"});
  ExpectRefused("--edge-masks m with triples", {.edge_masks = {"m"}});
  ExpectRefused("--edge-splits \"s\" is no folder", {.edge_splits = {"s"}});
}

}  // namespace
}  // namespace tributary
