#include "partition/pipeline/inputs/layout/layout_json.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(LayoutJson, ReadsEveryKey) {
  const auto layout = ParseGraphLayout(R"({
    "name": "papers", "ids": "string", "delimiter": "tab", "header": false,
    "nodes": {
      "paper": {"table": "papers.tsv", "id": "doi", "count": 5, "ids": "number",
                "features": ["f0", "f1"], "labels": "y.npy", "time": "year",
                "split": "part",
                "splits": {"public/val": "papers.npz:val", "test": "is_test"}}},
    "edges": {
      "author,writes,paper": {
        "table": ["a.tsv", "b.tsv"], "src": "who", "dst": "what",
        "features": "e*", "weight": "w", "time": "t",
        "masks": {"recent": "recent"}, "splits": {"train": "rows.csv.gz"}},
      "paper,cites,paper": {
        "indptr": "p.npy", "indices": "i.npy", "edge_ids": "e.npy",
        "compressed": "csr"}}})",
                                       "graph.json");
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(layout->name, "papers");
  EXPECT_EQ(layout->ids, IdKind::kString);
  EXPECT_EQ(layout->delimiter, '\t');
  EXPECT_EQ(layout->header, false);
  ASSERT_EQ(layout->nodes.size(), 2);
  EXPECT_EQ(layout->nodes[0].name, "author");  // only the edges name it
  const NodeLayout& paper = layout->nodes[1];
  EXPECT_EQ(paper.count, 5);
  EXPECT_EQ(paper.ids, IdKind::kNumber);
  EXPECT_THAT(paper.table, ElementsAre("papers.tsv"));
  EXPECT_THAT(paper.id.columns, ElementsAre("doi"));
  EXPECT_THAT(paper.features.columns, ElementsAre("f0", "f1"));
  EXPECT_THAT(paper.labels.arrays, ElementsAre("y.npy"));
  EXPECT_THAT(paper.time.columns, ElementsAre("year"));
  EXPECT_THAT(paper.split.columns, ElementsAre("part"));
  EXPECT_THAT(paper.splits.at("public/valid").arrays,
              ElementsAre("papers.npz:val"));
  EXPECT_THAT(paper.splits.at("test").columns, ElementsAre("is_test"));
  ASSERT_EQ(layout->edges.size(), 2);
  const EdgeLayout& writes = layout->edges[0];
  EXPECT_EQ(writes.name(), "author,writes,paper");
  EXPECT_THAT(writes.table, ElementsAre("a.tsv", "b.tsv"));
  EXPECT_THAT(writes.from.columns, ElementsAre("who"));
  EXPECT_THAT(writes.to.columns, ElementsAre("what"));
  EXPECT_THAT(writes.features.columns, ElementsAre("e*"));
  EXPECT_THAT(writes.weight.columns, ElementsAre("w"));
  EXPECT_THAT(writes.time.columns, ElementsAre("t"));
  EXPECT_THAT(writes.masks.at("recent").columns, ElementsAre("recent"));
  EXPECT_THAT(writes.splits.at("train").arrays, ElementsAre("rows.csv.gz"));
  const EdgeLayout& cites = layout->edges[1];
  EXPECT_THAT(cites.indptr.arrays, ElementsAre("p.npy"));
  EXPECT_THAT(cites.indices.arrays, ElementsAre("i.npy"));
  EXPECT_THAT(cites.edge_ids.arrays, ElementsAre("e.npy"));
  EXPECT_TRUE(cites.by_source);
  EXPECT_TRUE(layout->heterogeneous());
}

// By its header, which is read with the table.
TEST(LayoutJson, ATableAloneHasItsEnds) {
  const auto layout = ParseGraphLayout(
      R"({"edges": {"node,to,node": {"table": "e.csv"}}})", "graph.json");
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_FALSE(layout->heterogeneous());
  EXPECT_EQ(layout->edges[0].table, std::vector<std::string>{"e.csv"});
  EXPECT_TRUE(layout->edges[0].from.empty());
  EXPECT_TRUE(layout->edges[0].to.empty());
}

std::string ErrorOf(const std::string& text) {
  const auto layout = ParseGraphLayout(text, "graph.json");
  EXPECT_EQ(layout.status().code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(layout.status().message());
}

// Returns the error of a config with one edge type, described by `edges`.
std::string ErrorOfEdges(const std::string& edges) {
  return ErrorOf("{\"edges\": {\"a,b,c\": {" + edges + "}}}");
}

TEST(LayoutJson, NamesWhatIsWrongAndWhatIsAllowed) {
  EXPECT_EQ(ErrorOf("{\n\"edges\": {,}"),
            "graph.json line 2: this is no JSON here");
  EXPECT_EQ(ErrorOf("[]"), "graph.json: it is no object");
  EXPECT_THAT(ErrorOf("{}"), HasSubstr("graph.json: there are no edges"));
  EXPECT_EQ(ErrorOf(R"({"edges": {}, "edges": {}})"),
            "graph.json: the key \"edges\" is twice in one object");
  EXPECT_EQ(ErrorOf(R"({"edgs": {}})"),
            "graph.json: there is no key \"edgs\"; allowed: delimiter, edges, "
            "header, ids, name, nodes");
  EXPECT_EQ(ErrorOf(R"({"ids": "sparse"})"),
            "graph.json: ids \"sparse\" is no kind of ids; allowed: auto, "
            "dense, number, string");
  EXPECT_THAT(ErrorOf(R"({"delimiter": "a"})"),
              HasSubstr("allowed: comma, tab, semicolon, pipe, space"));
  EXPECT_EQ(ErrorOf(R"({"nodes": {"a": {"count": -1}}})"),
            "graph.json: nodes.a: count is no whole number of 0 to "
            "72057594037927936");
  EXPECT_THAT(ErrorOf(R"({"edges": {"a,b": {"table": "e.csv"}}})"),
              HasSubstr("graph.json: edges.a,b is no edge type; allowed: "
                        "\"SOURCE,RELATION,DESTINATION\""));
  EXPECT_THAT(ErrorOf(R"({"edges": {"a,b__c,d": {"table": "e.csv"}}})"),
              HasSubstr("graph.json: edges.a,b__c,d: 'b__c' is no name of a "
                        "type"));
  EXPECT_THAT(ErrorOfEdges(R"("src": "s.npy")"), HasSubstr("one part only"));
  EXPECT_THAT(ErrorOfEdges(R"("index": "i.npy", "src": "s.npy",
                              "dst": "d.npy")"),
              HasSubstr("more than one way"));
  EXPECT_THAT(ErrorOfEdges(R"("index": "i.npy", "weight": "w")"),
              HasSubstr("weight is the column \"w\", but there is no table"));
  EXPECT_THAT(ErrorOfEdges(R"("table": "e.csv", "weight": ["w", "v"])"),
              HasSubstr("weight is more than one column"));
  EXPECT_THAT(ErrorOfEdges(R"("table": "e.csv", "features": ["w", "v.npy"])"),
              HasSubstr("features is both columns and arrays"));
  EXPECT_THAT(ErrorOfEdges(R"("indptr": "p.npy", "indices": "i.npy")"),
              HasSubstr("allowed: csc, csr"));
  EXPECT_THAT(ErrorOfEdges(R"("table": "e.csv", "masks": {"a b": "m"})"),
              HasSubstr("is no name of a mask"));
  EXPECT_THAT(
      ErrorOf(R"({"nodes": {"a": {"splits": {"a,b": "t.csv"}}}})"),
      HasSubstr("graph.json: nodes.a.splits: 'a,b' is no name of a file"));
  EXPECT_THAT(ErrorOf(std::string(100, '[')), HasSubstr("nests deeper"));
}

TEST(LayoutJson, DelimitersHaveNames) {
  EXPECT_EQ(*ParseDelimiter("comma"), ',');
  EXPECT_EQ(*ParseDelimiter("space"), ' ');
  EXPECT_EQ(*ParseDelimiter(";"), ';');
  for (const char* word : {"", "ab", "7", "\"", "-", "."}) {
    EXPECT_FALSE(ParseDelimiter(word).ok()) << word;
  }
}

}  // namespace
}  // namespace tributary
