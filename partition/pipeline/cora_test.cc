// Cora, from OGB's files to a folder and back.
#include <algorithm>
#include <cstring>

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

constexpr char kCora[] = "tests/data/cora";

TEST(Cora, HasItsKnownFigures) {
  const auto input = ReadInput({.folder = kCora});
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->content.name, "cora");
  Sha256Digest content{};
  for (const auto& [method, parts] :
       {std::pair("random", 1u), std::pair("random", 4u),
        std::pair("metis", 2u)}) {
    SCOPED_TRACE(method);
    const TemporaryFolder folder;
    auto plan = PlanNodes(input->content, {method, parts, 0});
    ASSERT_TRUE(plan.ok()) << plan.status();
    const auto schema = WriteGraph(input->content, *plan, folder.File("graph"),
                                   {.made_by = "test", .flush = false});
    ASSERT_TRUE(schema.ok()) << schema.status();
    EXPECT_EQ(schema->node_types[0].num_nodes, 2708);
    EXPECT_EQ(schema->node_types[0].x, (ColumnSchema{DType::kFloat32, 1433}));
    EXPECT_EQ(schema->node_types[0].y, (ColumnSchema{DType::kInt64, 0}));
    EXPECT_EQ(schema->edge_types[0].num_edges, 10556);
    if (parts == 1) content = schema->content_digest;
    EXPECT_EQ(schema->content_digest, content);
    const auto graph = Graph::Open(folder.File("graph"));
    ASSERT_TRUE(graph.ok()) << graph.status();
    EXPECT_EQ((*graph)->Split(0, "train")->size(), 140);
    EXPECT_EQ((*graph)->Split(0, "valid")->size(), 500);
    EXPECT_EQ((*graph)->Split(0, "public/test")->size(), 1000);
    const auto figures = InspectGraph(**graph);
    EXPECT_EQ(figures->edge_types[0].max_degree, 168);
    EXPECT_EQ(figures->edge_types[0].degree_histogram[0], 0);  // none isolated
    const auto back = VerifyGraph(folder.File("graph"));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(CompareContent(*back, input->content).ok());
  }
}

TEST(Cora, LabelsAndWordsAreCountedAsItsReadmeSays) {
  const auto input = ReadInput({.folder = kCora});
  ASSERT_TRUE(input.ok()) << input.status();
  const NodeContent& nodes = input->content.node_types[0];
  std::vector<int> labels(7, 0);
  int64_t ones = 0;
  std::vector<float> row(1433);
  for (int64_t v = 0; v < nodes.num_nodes; ++v) {
    int64_t label;
    nodes.y->CopyRows({&v, 1}, reinterpret_cast<uint8_t*>(&label));
    ++labels.at(label);
    nodes.x->CopyRows({&v, 1}, reinterpret_cast<uint8_t*>(row.data()));
    ones += std::count(row.begin(), row.end(), 1.0f);
  }
  EXPECT_EQ(labels, (std::vector<int>{351, 217, 418, 818, 426, 298, 180}));
  EXPECT_EQ(ones, 49216);
}

}  // namespace
}  // namespace tributary
