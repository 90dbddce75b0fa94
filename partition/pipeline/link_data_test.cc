// Graphs for link prediction, from their files to a folder and back: ogbl-ddi,
// whose splits are pairs of nodes, and FB15k-237, which consists of triples.
// The digests were computed from the files by another program.
#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/graph.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/check/verify.h"
#include "partition/pipeline/inputs/input.h"
#include "partition/pipeline/partitioners/partitioner.h"
#include "partition/writer/writer.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

std::shared_ptr<const Graph> WriteAndOpen(const GraphContent& content,
                                          uint32_t parts) {
  const TemporaryFolder folder;
  auto plan = PlanNodes(content, {"random", parts, 0});
  EXPECT_TRUE(plan.ok()) << plan.status();
  const std::string graph = folder.File("graph");
  const auto schema =
      WriteGraph(content, *plan, graph, {.made_by = "test", .flush = false});
  EXPECT_TRUE(schema.ok()) << schema.status();
  const auto back = VerifyGraph(graph);
  EXPECT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(back.ok() && CompareContent(*back, content).ok());
  auto opened = Graph::Open(graph);
  EXPECT_TRUE(opened.ok()) << opened.status();
  return opened.ok() ? *std::move(opened) : nullptr;
}

// The training edges are the graph's: OGB's split/target/train is raw/edge.
TEST(OgblDdi, HasItsKnownEdgesAndSplits) {
  const TemporaryFolder folder;
  fs::copy("tests/data/ogbl-ddi/", folder.path(), fs::copy_options::recursive);
  fs::permissions(folder.File("split/target"), fs::perms::owner_all);
  fs::copy_file(folder.File("raw/edge.csv.gz"),
                folder.File("split/target/train.csv.gz"));
  const auto input = ReadInput({.folder = folder.path(), .add_reverse = true});
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_TRUE(input->notes.empty());
  const auto graph = WriteAndOpen(input->content, 3);
  ASSERT_NE(graph, nullptr);
  const GraphSchema& schema = graph->schema();
  EXPECT_EQ(ToHex(schema.content_digest),
            "a8b84276cea9300cdc3717c5c751598c17885f4a292db4edee4e7ecdf0a8ee26");
  EXPECT_EQ(schema.edge_types[0].num_edges, 2135822);
  std::vector<int64_t> counts;
  for (const SplitSchema& split : schema.splits) counts.push_back(split.count);
  EXPECT_THAT(counts, ElementsAre(133489, 95599, 1067911, 133489, 101882));
  // Row 0 is 4039>2424, edges 0 and 1; negatives are no edges.
  EXPECT_THAT(graph->EdgeSplit(0, "train")->first(3),
              ElementsAre(4039, 2424, 0));
  EXPECT_THAT(graph->EdgeSplit(0, "valid_neg")->first(3),
              ElementsAre(0, 58, -1));
}

TEST(Fb15k237, HasItsKnownRelations) {
  const auto input = ReadInput(
      {.folder = "tests/data/fb15k-237", .relation_names = "numbers"});
  ASSERT_TRUE(input.ok()) << input.status();
  const auto graph = WriteAndOpen(input->content, 3);
  ASSERT_NE(graph, nullptr);
  const GraphSchema& schema = graph->schema();
  EXPECT_EQ(ToHex(schema.content_digest),
            "5d5cb0df36d6aaf2b694c2106037b472726e7b3bb6f8c3b88f07c07202f80c0a");
  EXPECT_TRUE(schema.heterogeneous);
  EXPECT_EQ(schema.node_types[0].num_nodes, 14541);
  EXPECT_EQ(schema.edge_types.size(), 237);
  int64_t edges = 0;
  std::map<std::string, int64_t> splits;
  for (const EdgeTypeSchema& type : schema.edge_types) edges += type.num_edges;
  for (const SplitSchema& split : schema.splits) {
    splits[split.name] += split.count;
  }
  EXPECT_EQ(edges, 272115);
  EXPECT_THAT(splits,
              ElementsAre(std::pair("test", 20466), std::pair("train", 272115),
                          std::pair("valid", 17535)));
  // The first triple of train: 3818, 122, 8942.
  const int type = schema.FindEdgeType("entity,r122,entity");
  ASSERT_GE(type, 0);
  EXPECT_THAT(graph->EdgeSplit(type, "train")->first(3),
              ElementsAre(3818, 8942, 0));
}

// The first and the last line of relation.csv.gz.
TEST(Fb15k237, RelationsKeepTheirNames) {
  const auto input = ReadInput({.folder = "tests/data/fb15k-237"});
  ASSERT_TRUE(input.ok()) << input.status();
  ASSERT_EQ(input->content.edge_types.size(), 237);
  EXPECT_EQ(input->content.edge_types.front().rel,
            "/american_football/football_team/current_roster./sports/"
            "sports_team_roster/position");
  EXPECT_EQ(input->content.edge_types.back().rel,
            "/user/tsegaran/random/taxonomy_subject/entry./user/tsegaran/"
            "random/taxonomy_entry/taxonomy");
  EXPECT_TRUE(CheckContent(input->content).ok());
}

TEST(Fb15k237, ReversesAreRelations) {
  const auto input = ReadInput({.folder = "tests/data/fb15k-237",
                                .add_reverse = true,
                                .relation_names = "numbers"});
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->content.edge_types.size(), 2 * 237);
  EXPECT_TRUE(CheckContent(input->content).ok());
}

}  // namespace
}  // namespace tributary
