// aifb, 9 node types and 65 relations, from OGB's files to a folder and back.
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

constexpr char kAifb[] = "tests/data/aifb";

int64_t Edges(const GraphSchema& schema) {
  int64_t edges = 0;
  for (const auto& type : schema.edge_types) edges += type.num_edges;
  return edges;
}

TEST(Aifb, HasItsKnownFigures) {
  const auto input = ReadInput({.folder = kAifb});
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_TRUE(input->notes.empty());
  Sha256Digest content{};
  for (const auto& [method, parts] :
       {std::pair("random", 1u), std::pair("random", 5u),
        std::pair("metis", 3u)}) {
    SCOPED_TRACE(method);
    const TemporaryFolder folder;
    auto plan = PlanNodes(input->content, {method, parts, 0});
    ASSERT_TRUE(plan.ok()) << plan.status();
    const auto schema = WriteGraph(input->content, *plan, folder.File("graph"),
                                   {.made_by = "test", .flush = false});
    ASSERT_TRUE(schema.ok()) << schema.status();
    EXPECT_TRUE(schema->heterogeneous);
    EXPECT_EQ(schema->node_types.size(), 9);
    EXPECT_EQ(schema->edge_types.size(), 65);
    EXPECT_EQ(Edges(*schema), 29043);
    if (parts == 1) content = schema->content_digest;
    EXPECT_EQ(schema->content_digest, content);
    const auto graph = Graph::Open(folder.File("graph"));
    ASSERT_TRUE(graph.ok()) << graph.status();
    const int person = schema->FindNodeType("person");
    ASSERT_GE(person, 0);
    EXPECT_EQ(schema->node_types[person].num_nodes, 237);
    EXPECT_EQ((*graph)->Split(person, "train")->size(), 112);
    EXPECT_EQ((*graph)->Split(person, "standard/valid")->size(), 28);
    EXPECT_EQ((*graph)->Split(person, "test")->size(), 36);
    ASSERT_TRUE(InspectGraph(**graph).ok());
    const auto back = VerifyGraph(folder.File("graph"));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(CompareContent(*back, input->content).ok());
  }
}

TEST(Aifb, ReversesAreRelationsOfTheirOwn) {
  const auto input = ReadInput({.folder = kAifb, .add_reverse = true});
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->content.edge_types.size(), 130);
  int64_t edges = 0;
  for (const auto& type : input->content.edge_types) {
    edges += type.in_edges.num_edges();
  }
  EXPECT_EQ(edges, 2 * 29043);
}

TEST(Aifb, LabelsAreCountedAsItsReadmeSays) {
  const auto input = ReadInput({.folder = kAifb});
  ASSERT_TRUE(input.ok()) << input.status();
  std::vector<int> labels(5, 0);  // -1 first
  for (const NodeContent& type : input->content.node_types) {
    EXPECT_EQ(type.x, nullptr);
    EXPECT_EQ(type.y != nullptr, type.name == "person");
    if (type.y == nullptr) continue;
    for (int64_t v = 0; v < type.num_nodes; ++v) {
      int64_t label;
      type.y->CopyRows({&v, 1}, reinterpret_cast<uint8_t*>(&label));
      ++labels.at(label + 1);
    }
  }
  EXPECT_EQ(labels, (std::vector<int>{61, 73, 28, 60, 15}));
}

}  // namespace
}  // namespace tributary
