#include "partition/pipeline/inputs/load_content.h"

#include <gtest/gtest.h>

#include "common/hash/sha256.h"
#include "partition/source/testing/memory_column.h"
#include "partition/writer/content_digest.h"

namespace tributary {
namespace {

// The graph of the known answers in docs/graph-format.md.
GraphSource SevenNodes() {
  GraphSource graph;
  graph.name = "seven";
  graph.node_types.push_back({.name = "node", .num_nodes = 7});
  EdgeSource edges{.src = "node", .rel = "to", .dst = "node"};
  edges.from = MakeColumn<int64_t>({1, 2, 3, 4, 2, 0, 3, 5, 5, 4, 0, 1});
  edges.to = MakeColumn<int64_t>({0, 0, 0, 0, 0, 1, 1, 2, 5, 3, 3, 3});
  graph.edge_types.push_back(edges);
  return graph;
}

std::string DigestOf(const GraphSource& graph) {
  const auto content = LoadContent(graph);
  EXPECT_TRUE(content.ok()) << content.status();
  return content.ok() ? ToHex(ComputeContentDigest(*content)) : "";
}

TEST(LoadContentTest, HasTheKnownDigest) {
  EXPECT_EQ(DigestOf(SevenNodes()),
            "7ca1966e928170286fa794d1b8e9cf5197318341fa8bbd7ebf238374474e0d38");
}

TEST(LoadContentTest, LoadsColumnsAndSplits) {
  GraphSource graph = SevenNodes();
  NodeSource& nodes = graph.node_types[0];
  nodes.x = MakeColumn<float>({0, 10, 20, 30, 40, 50, 60}, 1);
  nodes.y = MakeColumn<int64_t>({0, 1, 2, 3, 4, 5, 6});
  graph.splits.push_back(
      {.type = "node", .name = "train", .nodes = {0, 3, 1, 6}});
  EXPECT_EQ(DigestOf(graph),
            "aa2bafb6af513327b6c7bc30328ada1a259fdaf14c4cab44907e95b76fabd3f9");
}

TEST(LoadContentTest, FindsTheEdgesOfASplit) {
  GraphSource graph = SevenNodes();
  graph.splits.push_back({.type = "node,to,node",
                          .name = "test",
                          .from = {2, 4, 6},
                          .to = {0, 3, 6}});
  EXPECT_EQ(DigestOf(graph),
            "e9ac5e0a3d290a6043cb89e4e52b8c17b3a4c8313c10e0cd897fc0ee9f3ffcf1");
}

TEST(LoadContentTest, NamesTheEndThatIsNoNode) {
  GraphSource graph = SevenNodes();
  graph.node_types[0].num_nodes = 5;
  EXPECT_EQ(LoadContent(graph).status().message(),
            "memory, row 7: 5 is no node of type node; allowed: 0 to 4");
}

}  // namespace
}  // namespace tributary
