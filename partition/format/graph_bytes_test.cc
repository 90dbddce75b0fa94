#include "partition/format/graph_bytes.h"

#include <gtest/gtest.h>

#include <tuple>

#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

// 4 nodes of 3 floats and 2 edges of 5, in two partitions; each array has a
// header of 128 bytes.
TEST(GraphBytes, FeaturesAreXAndEdgeAttrOfThePartitionsThatAreHere) {
  GraphSpec spec;
  spec.num_nodes = 4;
  spec.edges = {{0, 1}, {1, 2}};  // to partitions 1 and 0
  spec.num_partitions = 2;
  spec.x.assign(12, 1);
  spec.x_dim = 3;
  spec.y.assign(4, 1);
  spec.edge_attr.assign(10, 1);
  spec.edge_attr_dim = 5;
  const auto graph = BuildGraph(spec);
  const GraphBytes both = GraphBytesOf(graph->schema(), {0, 1});
  const GraphBytes one = GraphBytesOf(graph->schema(), {1});
  const GraphBytes none = GraphBytesOf(graph->schema(), {});
  uint64_t all = 0;
  for (const FileSchema& file : graph->schema().files) all += file.bytes;
  EXPECT_EQ(both.features + both.rest, all);
  EXPECT_EQ(both.features, 4u * 128 + 4 * 12 + 2 * 20);
  EXPECT_EQ(one.features, 2u * 128 + 2 * 12 + 20);
  EXPECT_EQ(none.features, 0u);
  EXPECT_GT(none.rest, 0u);  // the node map
  EXPECT_LT(none.rest, one.rest);
}

TEST(GraphBytes, FeaturesAreReadWhereTheyDoNotFit) {
  const GraphBytes bytes{100, 50};
  const auto reads = [&](FeatureMemory where, uint64_t memory) {
    return ReadsFeatures(bytes, where, memory).value();
  };
  EXPECT_FALSE(reads(FeatureMemory::kAuto, 150));
  EXPECT_TRUE(reads(FeatureMemory::kAuto, 149));
  EXPECT_TRUE(reads(FeatureMemory::kAuto, 50));
  EXPECT_TRUE(reads(FeatureMemory::kPaged, 1000));
  EXPECT_FALSE(reads(FeatureMemory::kResident, 1));
  EXPECT_FALSE(ReadsFeatures({0, 50}, FeatureMemory::kPaged, 50).value());
}

TEST(GraphBytes, WhatFitsIsCopiedFirstWhatDrawsRead) {
  const GraphBytes bytes{100, 50};
  const auto copies = [&](HugePages huge_pages, uint64_t memory,
                          bool reads_features = false) {
    const CopiedArrays copied =
        ChooseCopies(bytes, reads_features, huge_pages, memory);
    return std::make_tuple(copied.rest, copied.features, copied.reserved);
  };
  EXPECT_EQ(copies(HugePages::kOff, 1000), std::tuple(false, false, false));
  EXPECT_EQ(copies(HugePages::kAuto, 49), std::tuple(false, false, false));
  EXPECT_EQ(copies(HugePages::kAuto, 50), std::tuple(true, false, false));
  EXPECT_EQ(copies(HugePages::kAuto, 149), std::tuple(true, false, false));
  EXPECT_EQ(copies(HugePages::kAuto, 150), std::tuple(true, true, false));
  EXPECT_EQ(copies(HugePages::kAuto, 150, true),
            std::tuple(true, false, false));
  EXPECT_EQ(copies(HugePages::kRequire, 0), std::tuple(true, true, true));
  EXPECT_TRUE(IsFeatureFile("part-3/nodes/paper/x.npy"));
  EXPECT_TRUE(IsFeatureFile("part-0/edges/a/edge_attr.npy"));
  EXPECT_FALSE(IsFeatureFile("part-3/nodes/paper/y.npy"));
  EXPECT_FALSE(IsFeatureFile("nodes/paper/x.npy"));
}

TEST(GraphBytes, WhatSamplingReadsHasToFit) {
  const GraphBytes bytes{100, (uint64_t{5} << 20) + 1};
  for (const auto where : {FeatureMemory::kAuto, FeatureMemory::kPaged}) {
    const auto reads = ReadsFeatures(bytes, where, uint64_t{5} << 20);
    EXPECT_EQ(reads.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(reads.status().message(),
              "the graph takes 6 MiB without its features; 5 MiB of memory are "
              "left for it: serve fewer partitions (--partitions), lower "
              "--memory-budget, or map it whatever memory there is "
              "(--feature-memory resident)");
  }
}

}  // namespace
}  // namespace tributary
