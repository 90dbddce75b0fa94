#include "partition/pipeline/inputs/edge_list/edge_list.h"

#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/tensor/npy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/paths.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/arrays/placed_column.h"
#include "partition/pipeline/inputs/load_content.h"
#include "partition/source/file_column.h"

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Ids = std::vector<int64_t>;

class EdgeListTest : public testing::Test {
 protected:
  void Write(const std::string& file, const std::string& text) {
    std::ofstream(folder_.File(file), std::ios::binary) << text;
  }
  InputOptions Options(const std::string& file) {
    InputOptions options;
    options.folder = folder_.File(file);
    return options;
  }
  // Every reading has a spool of its own.
  absl::StatusOr<GraphSource> Read(const InputOptions& options) {
    spools_.push_back(std::make_unique<TemporaryFolder>());
    return ReadEdgeList(options, Spool(spools_.back()->path()));
  }
  absl::StatusOr<GraphSource> ReadConfig(const std::string& text) {
    Write("graph.json", text);
    InputOptions options;
    options.layout.config = folder_.File("graph.json");
    return Read(options);
  }
  static std::vector<std::pair<int64_t, int64_t>> Edges(
      const EdgeSource& edges) {
    const Ids from = All(*edges.from), to = All(*edges.to);
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (size_t i = 0; i < from.size(); ++i) pairs.emplace_back(from[i], to[i]);
    return pairs;
  }
  static Ids All(const Column& column) {
    return *ReadValues<int64_t>(column, 0, column.num_rows());
  }
  std::string ErrorOf(const absl::Status& status) const {
    std::string message(status.message());
    const std::string prefix = folder_.path() + "/";
    while (message.find(prefix) != std::string::npos) {
      message.erase(message.find(prefix), prefix.size());
    }
    return message;
  }

  const TemporaryFolder folder_;
  std::vector<std::unique_ptr<TemporaryFolder>> spools_;
};

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

TEST_F(EdgeListTest, WordsAreNumberedInByteOrder) {
  Write("friends.csv", "bob,ann\nann,Zoe\n");
  const auto graph = Read(Options("friends.csv"));
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_FALSE(graph->heterogeneous);
  EXPECT_EQ(graph->name, "friends");
  EXPECT_EQ(graph->node_types[0].num_nodes, 3);  // Zoe, ann, bob
  EXPECT_EQ(Edges(graph->edge_types[0]), (Pairs{{2, 1}, {1, 0}}));
  ASSERT_EQ(graph->id_files.size(), 2);
  EXPECT_TRUE(
      graph->id_files.contains(ExternalIdsPath("node", kExternalOffsets)));
  const auto bytes = OpenNpyColumn(
      {graph->id_files.at(ExternalIdsPath("node", kExternalBytes))});
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ((*bytes)->num_rows(), 9);
}

TEST_F(EdgeListTest, NumbersWithGapsAreNumberedInOrder) {
  Write("a.txt", "# SNAP's lists begin so\n100 9\n9 -5\n");
  const auto graph = Read(Options("a.txt"));
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(Edges(graph->edge_types[0]), (Pairs{{2, 1}, {1, 0}}));
  ASSERT_EQ(graph->id_files.size(), 1);
  const auto numbers = OpenNpyColumn({graph->id_files.begin()->second});
  ASSERT_TRUE(numbers.ok()) << numbers.status();
  EXPECT_EQ(All(**numbers), (Ids{-5, 9, 100}));
}

// An index column of pandas, a weight, or the destination first: the first two
// columns were the ends all the same.
TEST_F(EdgeListTest, TheHeaderNamesTheEnds) {
  for (const char* text :
       {"src,dst,w\n0,2,5\n2,1,6\n", ",src,dst\n5,0,2\n6,2,1\n",
        "weight,src,dst\n5,0,2\n6,2,1\n", "dst,src\n2,0\n1,2\n",
        "a, Target ,Source\n5,2,0\n6,1,2\n", "w,u,v\n5,0,2\n6,2,1\n",
        "w,src_id,Dst_ID\n5,0,2\n6,2,1\n",
        "w,destination,source\n5,2,0\n6,1,2\n", "t,tail,head\n5,2,0\n6,1,2\n",
        "src,dst,from,to\n0,2,7,8\n2,1,7,8\n", "from,to,w\n0,2,5\n2,1,6\n",
        "source,kind\n0,2\n2,1\n", "who,whom,source\n0,2,5\n2,1,6\n"}) {
    Write("a.csv", text);
    const auto graph = Read(Options("a.csv"));
    ASSERT_TRUE(graph.ok()) << text << graph.status();
    EXPECT_EQ(Edges(graph->edge_types[0]), (Pairs{{0, 2}, {2, 1}})) << text;
    const auto config =
        ReadConfig(R"({"edges": {"node,to,node": {"table": "a.csv"}}})");
    ASSERT_TRUE(config.ok()) << text << config.status();
    EXPECT_EQ(Edges(config->edge_types[0]), (Pairs{{0, 2}, {2, 1}})) << text;
  }
  Write("a.csv", "dst,src\n2,0\n1,2\n");
  EXPECT_THAT(Read(Options("a.csv"))->notes,
              ElementsAre(HasSubstr("a.csv: the ends are the columns src, dst, "
                                    "as the header names them")));
}

TEST_F(EdgeListTest, AHeaderInDoubtIsRefused) {
  for (const auto& [text, doubt] :
       {std::pair("w,src,dst,source,target\n1,2,3,4,5\n",
                  "names ends twice, src, dst and source, target"),
        std::pair("who,whom,from,to\n1,2,3,4\n", "names from, to, which may"),
        std::pair("w,src,b\n1,2,3\n", "names src, but not the other end"),
        std::pair("dst,b\n1,2\n", "names dst, but not the other end")}) {
    Write("a.csv", text);
    const std::string error = ErrorOf(Read(Options("a.csv")).status());
    EXPECT_THAT(error, HasSubstr(doubt)) << text;
    EXPECT_THAT(error, HasSubstr("allowed: --src and --dst")) << text;
  }
  InputOptions options = Options("a.csv");
  options.layout.src = "b";
  options.layout.dst = "dst";
  EXPECT_TRUE(Read(options).ok());
  // The flag names the column that the other end is by default.
  Write("a.csv", "a,b,c\n1,2,3\n");
  options.layout.dst.reset();
  EXPECT_EQ(ErrorOf(Read(options).status()),
            "a.csv: both ends are the column b; allowed: another column for "
            "--src or --dst");
  Write("a.csv", "w,src,dst\n5,0,2\n6,2,1\n");
  options.layout.src = "src";
  const auto graph = Read(options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(Edges(graph->edge_types[0]), (Pairs{{0, 2}, {2, 1}}));
}

// "1" and "01" were two nodes with auto and one with dense, without a word.
TEST_F(EdgeListTest, OneNumberInTwoSpellingsIsSaid) {
  for (const char* odd : {"01", "+1", "1.0", " 1"}) {
    Write("a.csv", absl::StrCat("src,dst\n0,1\n2,", odd, "\n"));
    InputOptions options = Options("a.csv");
    const auto graph = Read(options);
    ASSERT_TRUE(graph.ok()) << graph.status();
    ASSERT_EQ(graph->notes.size(), 1) << odd;
    EXPECT_THAT(graph->notes[0],
                HasSubstr(absl::StrCat("a.csv line 3, column dst: \"", odd,
                                       "\" is the number 1 written in")));
    options.layout.ids = "string";
    EXPECT_TRUE(Read(options)->notes.empty());
    options.layout.ids = "number";
    EXPECT_THAT(ErrorOf(Read(options).status()),
                HasSubstr(absl::StrCat("a.csv line 3, column dst: \"", odd)));
    if (odd[0] == ' ') continue;  // a blank is none of the number's
    options.layout.ids = "dense";
    EXPECT_THAT(ErrorOf(Read(options).status()),
                HasSubstr(absl::StrCat("a.csv line 3, column dst: \"", odd)));
  }
}

// The first column was the id, though another one is called so.
TEST_F(EdgeListTest, TheColumnOfIdsMayBeInUpperCase) {
  Write("edges.csv", "0,1\n1,2\n");
  Write("nodes.csv", "y, ID\n7,2\n8,1\n9,0\n");
  InputOptions options = Options("");
  options.layout.labels = {"y"};
  const auto graph = Read(options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(All(*graph->node_types[0].y), (Ids{9, 8, 7}));
}

TEST_F(EdgeListTest, OtherWordsOfSplitsAreSaid) {
  Write("edges.csv", "0,1\n1,2\n");
  Write("nodes.csv", "id,part\n0,Train\n1,val\n2,Train\n");
  InputOptions options = Options("");
  options.layout.split = "part";
  const auto graph = Read(options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  ASSERT_EQ(graph->splits.size(), 2);
  EXPECT_THAT(graph->notes,
              ElementsAre(HasSubstr("nodes.csv line 2, column part: \"Train\" "
                                    "is none of train, val, valid, test")));
}

TEST_F(EdgeListTest, BlankLastLinesAreNoRows) {
  Write("edges.csv", "src,dst\n0,1\n1,2\n\n  \n\r\n");
  Write("nodes.csv", "id,y\n0,4\n1,5\n2,6\n\n");
  InputOptions options = Options("");
  options.layout.labels = {"y"};
  const auto graph = Read(options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(Edges(graph->edge_types[0]), (Pairs{{0, 1}, {1, 2}}));
  EXPECT_EQ(All(*graph->node_types[0].y), (Ids{4, 5, 6}));
  Write("edges.csv", "src,dst\n0,1\n\n1,2\n");
  EXPECT_EQ(ErrorOf(Read(options).status()),
            "edges.csv line 3: 1 cells; the first line has 2");
}

// In a table of one column of splits a blank line is a node without one.
TEST_F(EdgeListTest, BlankLinesAreNodesWithoutASplit) {
  Write("edges.csv", "0,1\n1,2\n");
  Write("nodes.csv", "part\ntrain\n\n\n");
  InputOptions options = Options("");
  options.layout.split = "part";
  options.layout.ids = "dense";
  options.layout.num_nodes = "3";
  const auto graph = Read(options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->splits[0].nodes, (Ids{0}));
}

TEST_F(EdgeListTest, AListOfIdsIsNoMask) {
  Write("edges.csv", "0,1\n1,2\n2,3\n");
  Write("train.csv", "1\n0\n0\n1\n");
  const char* config =
      R"({"nodes": {"node": {"splits": {"train": "train.csv"}}},
          "edges": {"node,to,node": {"table": "edges.csv"}}})";
  EXPECT_THAT(ErrorOf(ReadConfig(config).status()),
              HasSubstr("train.csv line 1, column 0: a list of 4 numbers 0 and "
                        "1 alone, as a mask has"));
  Write("train.csv", "1\n0\n");
  const auto graph = ReadConfig(config);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->splits[0].nodes, (Ids{1, 0}));
}

TEST_F(EdgeListTest, DenseNumbersStayAsTheyAre) {
  Write("a.csv", "src,dst\n0,2\n2,1\n");
  auto graph = Read(Options("a.csv"));
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(Edges(graph->edge_types[0]), (Pairs{{0, 2}, {2, 1}}));
  EXPECT_TRUE(graph->id_files.empty());
  Write("b.csv", "src,dst\n0,4\n2,1\n");
  InputOptions options = Options("b.csv");
  options.layout.ids = "dense";
  graph = Read(options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->node_types[0].num_nodes, 5);
  EXPECT_THAT(graph->notes, ElementsAre(HasSubstr("by the largest id")));
  options.layout.num_nodes = "7";
  graph = Read(options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->node_types[0].num_nodes, 7);
  options.layout.num_nodes = "4";
  graph = Read(options);
  ASSERT_TRUE(graph.ok()) << graph.status();  // ends are checked by the writer
  EXPECT_EQ(ErrorOf(LoadContent(*graph).status()),
            "b.csv line 2, column dst: 4 is no node of type node; allowed: 0 "
            "to 3");
}

TEST_F(EdgeListTest, AFolderHasEdgesAndNodes) {
  Write("edges.csv", "src,dst,w,t,keep\nb,a,0.5,7,1\na,c,2,8,0\n");
  Write(
      "nodes.csv",
      "id,f0,f1,y,part\nc,5,6,2,val\na,1,2,0,train\nb,3,4,1,train\nd,0,0,9,\n");
  InputOptions options = Options("");
  options.edge_weight = "w";
  options.edge_time = "t";
  options.edge_masks = {"keep"};
  options.layout.features = {"f*"};
  options.layout.labels = {"y"};
  options.layout.split = "part";
  options.add_reverse = true;
  const auto graph = Read(options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  const NodeSource& nodes = graph->node_types[0];
  EXPECT_EQ(nodes.num_nodes, 4);  // d has no edge
  EXPECT_EQ(nodes.x->schema(), (ColumnSchema{DType::kFloat32, 2}));
  const auto content = LoadContent(*graph);
  ASSERT_TRUE(content.ok()) << content.status();
  std::vector<float> x(8);
  const Ids all = {0, 1, 2, 3};
  content->node_types[0].x->CopyRows(all, reinterpret_cast<uint8_t*>(x.data()));
  EXPECT_EQ(x, (std::vector<float>{1, 2, 3, 4, 5, 6, 0, 0}));
  EXPECT_EQ(All(*nodes.y), (Ids{0, 1, 2, 9}));
  const EdgeSource& edges = graph->edge_types[0];
  EXPECT_TRUE(edges.add_reverse);
  EXPECT_EQ(Edges(edges), (Pairs{{1, 0}, {0, 2}}));
  EXPECT_EQ(All(*edges.time), (Ids{7, 8}));
  EXPECT_EQ(*ReadValues<float>(*edges.weight, 0, 2),
            (std::vector<float>{0.5, 2}));
  EXPECT_EQ(*ReadValues<uint8_t>(*edges.masks.at("keep"), 0, 2),
            (std::vector<uint8_t>{1, 0}));
  ASSERT_EQ(graph->splits.size(), 2);
  EXPECT_EQ(graph->splits[0].name, "train");
  EXPECT_EQ(graph->splits[0].nodes, (Ids{0, 1}));
  EXPECT_EQ(graph->splits[1].name, "valid");
  EXPECT_EQ(graph->splits[1].nodes, (Ids{2}));
}

TEST_F(EdgeListTest, AConfigDescribesTypedGraphs) {
  Write("writes.tsv", "who\twhat\nann\t7\nbob\t30\n");
  Write("cites.csv", "30,7\n");
  Write("papers.csv", "doi,year,test\n30,2001,1\n7,1999,0\n");
  Write("train.csv", "30\n7\n");
  Write("held.csv", "bob,7\n");
  const auto graph = ReadConfig(R"({"name": "g",
    "nodes": {"paper": {"table": "papers.csv", "id": "doi", "time": "year",
                        "splits": {"s/train": "train.csv", "test": "test"}}},
    "edges": {"paper,cites,paper": {"table": "cites.csv"},
              "author,writes,paper": {"table": "writes.tsv", "src": "who",
                "dst": "what", "splits": {"test": "held.csv"}}}})");
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->name, "g");
  EXPECT_TRUE(graph->heterogeneous);
  ASSERT_EQ(graph->node_types.size(), 2);
  EXPECT_EQ(graph->node_types[0].name, "author");
  EXPECT_EQ(All(*graph->node_types[1].time), (Ids{1999, 2001}));
  ASSERT_EQ(graph->edge_types.size(), 2);
  EXPECT_EQ(Edges(graph->edge_types[0]), (Pairs{{0, 0}, {1, 1}}));
  EXPECT_EQ(Edges(graph->edge_types[1]), (Pairs{{1, 0}}));
  ASSERT_EQ(graph->splits.size(), 3);  // by scheme, type, name
  EXPECT_EQ(graph->splits[0].type, "author,writes,paper");
  EXPECT_EQ(graph->splits[0].from, (Ids{1}));
  EXPECT_EQ(graph->splits[0].to, (Ids{0}));
  EXPECT_EQ(graph->splits[1].type, "paper");
  EXPECT_EQ(graph->splits[1].nodes, (Ids{1}));
  EXPECT_EQ(graph->splits[2].scheme, "s");
  EXPECT_EQ(graph->splits[2].nodes, (Ids{1, 0}));  // in the list's order
  EXPECT_TRUE(
      graph->id_files.contains(ExternalIdsPath("paper", kExternalNumbers)));
}

TEST_F(EdgeListTest, TypedRelationsGetReverses) {
  Write("e.csv", "0,1\n");
  Write("graph.json", R"({"edges": {"a,r,b": {"table": "e.csv"}}})");
  InputOptions options;
  options.layout.config = folder_.File("graph.json");
  options.add_reverse = true;
  const auto graph = Read(options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  ASSERT_EQ(graph->edge_types.size(), 2);
  EXPECT_EQ(graph->edge_types[1].name(), "b,rev_r,a");
  EXPECT_TRUE(graph->edge_types[1].reverse);
  EXPECT_FALSE(graph->edge_types[0].add_reverse);
}

TEST_F(EdgeListTest, NamesWhatIsWrong) {
  Write("edges.csv", "src,dst\na,b\nb,c\n");
  Write("nodes.csv", "id,y\na,1\nb,2\na,3\n");
  InputOptions options = Options("");
  EXPECT_EQ(ErrorOf(Read(options).status()),
            "edges.csv line 3, column dst: \"c\" is no id in the table of "
            "nodes; allowed: those in its column of ids");
  Write("edges.csv", "src,dst\na,b\n");
  EXPECT_EQ(ErrorOf(Read(options).status()),
            "nodes.csv line 4, column id: node 0 is there a second time; "
            "allowed: each once");
  Write("edges.csv.gz", "src,dst\na,b\n");
  EXPECT_THAT(ErrorOf(Read(options).status()),
              HasSubstr("edges.csv and edges.csv.gz; allowed: one of them"));
  Write("e.csv", "1,2\n,3\n");
  options = Options("e.csv");
  EXPECT_EQ(ErrorOf(Read(options).status()),
            "e.csv line 2, column 0: an empty cell; allowed: an id of 1 to "
            "4096 bytes without control characters");
  options.layout.ids = "number";
  Write("e.csv", "1,2\n3,x\n");
  EXPECT_THAT(ErrorOf(Read(options).status()),
              HasSubstr("e.csv line 2, column 1: \"x\"; allowed: a whole"));
  options.layout.ids = "words";
  EXPECT_THAT(ErrorOf(Read(options).status()), HasSubstr("--ids: \"words\""));
  options = Options("e.csv");
  options.layout.labels = {"y"};
  EXPECT_THAT(ErrorOf(Read(options).status()), HasSubstr("with --nodes FILE"));
  options = Options("none.csv");
  EXPECT_EQ(Read(options).status().code(), absl::StatusCode::kNotFound);
  Write("graph.json", R"({"edges": {"a,r,b": {"table": "e.csv"}}})");
  options = Options("");
  options.layout.config = folder_.File("graph.json");
  options.edge_weight = "w";
  EXPECT_THAT(ErrorOf(Read(options).status()),
              HasSubstr("--config with --edge-weight"));
}

// Without a column of ids the rows are the nodes.
TEST_F(EdgeListTest, RowsOfATableMayBeTheNodes) {
  Write("e.csv", "0,1\n");
  Write("n.csv", "part,first\ntrain,1\ntest,0\ntrain,0\n");
  InputOptions options = Options("e.csv");
  options.layout.ids = "dense";
  options.layout.node_files = {folder_.File("n.csv")};
  options.layout.split = "part";
  EXPECT_EQ(ErrorOf(Read(options).status()),
            "n.csv line 4, column part: a row more than the 2 nodes of type "
            "node");
  options.layout.num_nodes = "3";
  const auto graph = Read(options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->splits[1].nodes, (Ids{0, 2}));
  const auto masked = ReadConfig(R"({"ids": "dense",
    "nodes": {"node": {"table": "n.csv", "splits": {"train": "first"}}},
    "edges": {"node,to,node": {"table": "e.csv"}}})");
  ASSERT_TRUE(masked.ok()) << masked.status();
  EXPECT_EQ(masked->node_types[0].num_nodes, 3);
  EXPECT_EQ(masked->splits[0].nodes, (Ids{0}));
}

TEST_F(EdgeListTest, ArraysStandBesideTables) {
  Write("e.csv", "b,a\n");
  Write("n.csv", "b\na\n");
  const std::vector<float> x = {2, 1};
  std::ofstream out(folder_.File("x.npy"), std::ios::binary);
  out << FormatNpyHeader({'f', 4}, {2, 1});
  out.write(reinterpret_cast<const char*>(x.data()), 8);
  out.close();
  const auto graph = ReadConfig(R"({
    "nodes": {"node": {"table": "n.csv", "features": "x.npy"}},
    "edges": {"node,to,node": {"table": "e.csv"}}})");
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(*ReadValues<float>(*graph->node_types[0].x, 0, 2),
            (std::vector<float>{1, 2}));  // rows are those of the table
  const auto lost = ReadConfig(R"({
    "nodes": {"node": {"features": "x.npy"}},
    "edges": {"node,to,node": {"table": "e.csv"}}})");
  EXPECT_THAT(ErrorOf(lost.status()),
              HasSubstr("nothing tells which row is which node"));
}

}  // namespace
}  // namespace tributary
