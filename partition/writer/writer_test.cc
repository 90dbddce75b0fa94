#include "partition/writer/writer.h"

#include <atomic>
#include <cmath>
#include <filesystem>

#include "common/io/file_mapping.h"
#include "common/runtime/fault_point.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

const GraphSpec kSpec{.num_nodes = 3,
                      .edges = {{0, 1}, {2, 1}},
                      .x = {1, 2, 3},
                      .splits = {{"train", {2}}, {"public/train", {0}}}};

absl::Status Write(const GraphSpec& spec, NodePlan plan,
                   const std::string& folder) {
  return WriteGraph(MakeContent(spec), std::move(plan), folder,
                    {.made_by = "test"})
      .status();
}

TEST(WriteGraph, FailedWriteLeavesNothing) {
  const TemporaryFolder folder;
  for (int failing = 0; failing < 8; ++failing) {
    int calls = 0;
    const ScopedFault fault("graph.write_array", [&] {
      return calls++ == failing ? absl::ResourceExhaustedError("disk full")
                                : absl::OkStatus();
    });
    const absl::Status status =
        Write(kSpec, {1, "test", {{0, 0, 0}}}, folder.File("graph"));
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << failing;
    EXPECT_TRUE(fs::is_empty(folder.path())) << failing;
  }
}

TEST(WriteGraph, ExistingFolderIsKept) {
  const TemporaryFolder folder;
  fs::create_directory(folder.File("graph"));
  EXPECT_EQ(Write(kSpec, {1, "test", {{0, 0, 0}}}, folder.File("graph")).code(),
            absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(fs::is_empty(folder.File("graph")));
}

TEST(WriteGraph, PlanMustFit) {
  const TemporaryFolder folder;
  const NodePlan plans[] = {
      {2, "test", {{0, 2, 0}}},  // no partition 2
      {1, "test", {{0, 0}}},     // a node too few
      {1, "test", {}},           // a type too few
      {0, "test", {{0, 0, 0}}},  // no partitions
      {65537, "test", {{0, 0, 0}}},
  };
  for (const NodePlan& plan : plans) {
    EXPECT_EQ(Write(kSpec, plan, folder.File("graph")).code(),
              absl::StatusCode::kInvalidArgument);
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

// Writes a graph with a node in each partition and none beside, the nodes
// against the order of the partitions; returns the bytes of its node map.
uint64_t WriteOneNodeEach(uint32_t num_partitions, const std::string& folder) {
  std::vector<uint16_t> partition_of;
  for (uint32_t p = num_partitions; p > 0; --p) {
    partition_of.push_back(static_cast<uint16_t>(p - 1));
  }
  GraphContent content = MakeContent({.num_nodes = num_partitions});
  content.edge_types.clear();  // fewer files
  const auto written =
      WriteGraph(content, {num_partitions, "test", {std::move(partition_of)}},
                 folder, {.made_by = "test", .flush = false});
  EXPECT_TRUE(written.ok()) << written.status();
  return fs::file_size(folder + "/node_map/node.npy");
}

// Partition numbers 0 to 255 fit one byte, so 256 partitions are the most.
TEST(WriteGraph, NodeMapsAreReadOnBothSidesOfTheirWidthsLimit) {
  constexpr uint64_t kHeader = 128;
  const std::pair<uint32_t, uint64_t> bytes_of[] = {
      {1, 1}, {2, 1}, {255, 1}, {256, 1}, {257, 2}};
  for (const auto& [partitions, bytes] : bytes_of) {
    const TemporaryFolder folder;
    EXPECT_EQ(WriteOneNodeEach(partitions, folder.File("graph")),
              kHeader + partitions * bytes)
        << partitions;
    const auto graph = Graph::Open(folder.File("graph"));
    ASSERT_TRUE(graph.ok()) << partitions << ": " << graph.status();
    for (uint32_t v = 0; v < partitions; ++v) {
      const auto found = (*graph)->node_map(0).Locate(v);
      ASSERT_TRUE(found.ok()) << found.status();
      ASSERT_EQ(*found, (NodeLocation{partitions - 1 - v, 0})) << v;
    }
  }
}

TEST(WriteGraph, WeightsMustBeFiniteAndNotNegative) {
  const TemporaryFolder folder;
  for (const double bad : {-1.0, -5e-324, std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    GraphSpec spec = kSpec;
    spec.weight = {1, bad};
    const absl::Status status =
        Write(spec, {1, "test", {{0, 0, 0}}}, folder.File("graph"));
    EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange) << bad;
    EXPECT_NE(status.message().find("of edge 1 of node,to,node"),
              std::string::npos)
        << status;
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(WriteGraph, WeightsAndTimesMustFitTheEdges) {
  const TemporaryFolder folder;
  const std::pair<void (*)(GraphSpec&), const char*> cases[] = {
      {[](GraphSpec& s) { s.weight = {1}; },
       "weight of node,to,node has 1 row"},
      {[](GraphSpec& s) { s.edge_time = {1}; },
       "time of node,to,node has 1 row"},
      {[](GraphSpec& s) {
         s.node_time = {1, 2};
       },
       "time of node has 2 rows where there are 3"},
      {[](GraphSpec& s) { s.masks["train"] = {1}; },
       "mask train of node,to,node has 1 row"},
      {[](GraphSpec& s) {
         s.masks["a]"] = {0, 1};
       },
       "'a]' is no name of a mask"},
      {[](GraphSpec& s) {
         for (int i = 0; i < 65; ++i) s.masks[std::to_string(i)] = {0, 1};
       },
       "65 masks of edges; allowed: up to 64"},
  };
  for (const auto& [change, what] : cases) {
    GraphSpec spec = kSpec;
    change(spec);
    const absl::Status status =
        Write(spec, {1, "test", {{0, 0, 0}}}, folder.File("graph"));
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find(what), std::string::npos) << status;
  }
}

// Refuses columns that have another type or shape, whichever reader made them.
TEST(WriteGraph, WeightsAndTimesAreOneNumberARow) {
  const TemporaryFolder folder;
  const auto floats = [](int64_t dim) {
    return std::make_shared<StoredRows<float>>(
        ColumnSchema{DType::kFloat32, dim}, std::vector<float>{1, 2, 3});
  };
  GraphContent weights = MakeContent(kSpec), times = MakeContent(kSpec),
               node_times = MakeContent(kSpec);
  weights.edge_types[0].weight = floats(1);
  times.edge_types[0].time = floats(0);
  node_times.node_types[0].time = floats(0);
  GraphContent masks = MakeContent(kSpec);
  masks.edge_types[0].masks["train"] = floats(0);
  for (const GraphContent* content : {&weights, &times, &node_times, &masks}) {
    const absl::Status status =
        WriteGraph(*content, {1, "test", {{0, 0, 0}}}, folder.File("graph"),
                   {.made_by = "test"})
            .status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_NE(status.message().find("allowed: one"), std::string::npos);
  }
}

TEST(WriteGraph, SplitIdsMustBeNodes) {
  const TemporaryFolder folder;
  GraphSpec spec = kSpec;
  spec.splits["train"] = {3};
  EXPECT_EQ(Write(spec, {1, "test", {{0, 0, 0}}}, folder.File("graph")).code(),
            absl::StatusCode::kOutOfRange);
}

// 64-byte aligned headers that numpy reads as they are: the text is numpy's.
TEST(WriteGraph, ArraysAreNumpyFiles) {
  const TemporaryFolder folder;
  GraphSpec spec = kSpec;
  spec.masks["train"] = {0, 1};
  WriteGraphTo(spec, folder.File("graph"));
  const std::pair<std::string, std::string> files[] = {
      {"part-0/nodes/node/orig_id.npy",
       "{'descr': '<i8', 'fortran_order': "
       "False, 'shape': (3,), }"},
      {"part-0/nodes/node/x.npy",
       "{'descr': '<f4', 'fortran_order': False, "
       "'shape': (3, 1), }"},
      {"part-0/edges/node__to__node/indptr.npy",
       "{'descr': '<u8', 'fortran_order': False, 'shape': (4,), }"},
      {"part-0/edges/node__to__node/indices.npy",
       "{'descr': '<u4', 'fortran_order': False, 'shape': (2,), }"},
      {"part-0/edges/node__to__node/mask.train.npy",
       "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }"},
      {"node_map/node.npy",
       "{'descr': '|u1', 'fortran_order': False, 'shape': "
       "(3,), }"},
      {"node_map/node.ranks.npy",
       "{'descr': '<u8', 'fortran_order': False, "
       "'shape': (1, 1), }"},
      {"splits/node/train.npy",
       "{'descr': '<i8', 'fortran_order': False, "
       "'shape': (1,), }"},
      {"splits/public/node/train.npy",
       "{'descr': '<i8', 'fortran_order': "
       "False, 'shape': (1,), }"},
  };
  for (const auto& [path, dict] : files) {
    const auto text = ReadFile(folder.File("graph/" + path), 4096);
    ASSERT_TRUE(text.ok()) << text.status();
    EXPECT_EQ(text->substr(0, 8), std::string("\x93NUMPY\x01\x00", 8)) << path;
    EXPECT_EQ(text->substr(10, dict.size()), dict) << path;
    EXPECT_EQ(text->find('\n') % 64, 63) << path;
  }
}

TEST(WriteGraph, MoreThan256PartitionsTakeTwoBytesANode) {
  const auto graph = BuildGraph({.num_nodes = 3,
                                 .edges = {{0, 1}, {2, 1}, {1, 2}},
                                 .num_partitions = 300,
                                 .partition_of = {299, 0, 257},
                                 .edge_index = true},
                                {.partitions = {257, 299}});
  EXPECT_EQ(graph->node_map(0).Locate(0)->partition, 299);
  EXPECT_EQ(graph->node_map(0).Locate(2)->partition, 257);
  EXPECT_EQ(*graph->edge_index(0)->Locate(1), (EdgeLocation{0, 1}));
  EXPECT_EQ(*graph->edge_index(0)->Locate(2), (EdgeLocation{257, 0}));
}

TEST(Split, OfEdgesAndOfNodesMayShareAName) {
  const auto graph = BuildGraph(
      {.num_nodes = 3,
       .edges = {{0, 1}},
       .num_partitions = 2,
       .splits = {{"a/train", {2}}},
       .edge_splits = {{"a/train", {0, 1, 0}}, {"a/test", {2, 2, -1}}}});
  EXPECT_EQ(*graph->Split(0, "train"), std::vector<int64_t>{2});
  EXPECT_EQ(*graph->EdgeSplit(0, "a/train"), (std::vector<int64_t>{0, 1, 0}));
  const auto none = graph->EdgeSplit(0, "valid").status();
  EXPECT_EQ(none.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(none.message().find("'valid' of edge type node,to,node; allowed: "
                                "a/test, a/train"),
            std::string::npos)
      << none;
  EXPECT_EQ(graph->Split(0, "test").status().code(),
            absl::StatusCode::kNotFound);
}

TEST(Split, EdgesMustJoinNodes) {
  const std::vector<int64_t> bad[] = {
      {0, 3, -1}, {-1, 0, 0}, {0, 1, -2}, {0, 1}};
  for (const std::vector<int64_t>& numbers : bad) {
    GraphSpec spec{.num_nodes = 3, .edges = {{0, 1}}};
    spec.edge_splits["train"] = numbers;
    EXPECT_FALSE(CheckContent(MakeContent(spec)).ok()) << numbers.size();
  }
}

TEST(Split, NamesSchemesWhenAmbiguous) {
  const auto graph = BuildGraph(
      {.num_nodes = 3,
       .splits = {{"a/train", {1}}, {"b/train", {2}}, {"b/test", {0}}}});
  EXPECT_EQ(*graph->Split(0, "a/train"), std::vector<int64_t>{1});
  EXPECT_EQ(*graph->Split(0, "test"), std::vector<int64_t>{0});
  const auto ambiguous = graph->Split(0, "train").status();
  EXPECT_EQ(ambiguous.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(ambiguous.message().find("b/train"), std::string::npos);
  const auto none = graph->Split(0, "valid").status();
  EXPECT_EQ(none.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(none.message().find("a/train, b/test, b/train"), std::string::npos);
}

}  // namespace
}  // namespace tributary
