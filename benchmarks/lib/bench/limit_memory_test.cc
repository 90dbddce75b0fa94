#include "benchmarks/lib/bench/limit_memory.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

// Each size is another power of two, so a sum says which files are in it.
GraphSchema SchemaOfFiles() {
  GraphSchema schema;
  const char* const paths[] = {
      "part-0/edges/a__r__b/indptr.npy",                  // 1
      "part-0/edges/a__r__b/indices.npy",                 // 2
      "part-1/edges/a__r__b/indices.npy",                 // 4
      "part-0/edges/a__r__b/edge_id.npy",                 // 8
      "part-0/nodes/a/orig_id.npy",                       // 16
      "part-0/nodes/a/x.npy",                             // 32
      "part-0/nodes/a/y.npy",                             // 64
      "part-0/edges/a__r__b/edge_attr.npy",               // 128
      "part-0/edges/a__r__b/weight.npy",                  // 256
      "part-0/edges/a__r__b/weight_sum.npy",              // 512
      "part-0/edges/a__r__b/edge_time.npy",               // 1024
      "part-0/edges/a__r__b/edge_time_position.npy",      // 2048
      "part-0/edges/a__r__b/neighbor_time.npy",           // 4096
      "part-0/edges/a__r__b/neighbor_time_position.npy",  // 8192
      "part-0/edges/a__r__b/mask.train.npy",              // 16384
      "part-0/edges/a__r__b/neighbor_id.npy",             // 32768
      "part-0/nodes/a/time.npy",                          // not read
      "node_map/a.npy",
      "splits/indices.npy",
      "splits/x/a/train.npy",
  };
  uint64_t bytes = 1;
  for (const char* path : paths) {
    schema.files.push_back({.path = path, .bytes = bytes});
    bytes *= 2;
  }
  return schema;
}

uint64_t Touched(bool features, const DrawOptions& draws) {
  SessionOptions loader;
  if (!features) loader.collect = CollectedColumns::None();
  loader.kind = NeighborOptions{.draws = draws};
  return BytesTouched(SchemaOfFiles(), loader);
}

TEST(BytesTouched, TopologyAndIds) { EXPECT_EQ(Touched(false, {}), 31); }

TEST(BytesTouched, FeaturesAndLabelsWhereTheyAreCollected) {
  EXPECT_EQ(Touched(true, {}), 31 + 32 + 64 + 128);
}

TEST(BytesTouched, WhatTheDrawReads) {
  EXPECT_EQ(Touched(false, {.draw = DrawMode::kWeighted}), 31 + 256 + 512);
  EXPECT_EQ(Touched(false, {.time = TimeMode::kEdge}), 31 + 1024 + 2048);
  EXPECT_EQ(Touched(false, {.time = TimeMode::kNode}), 31 + 4096 + 8192);
  DrawOptions predicate;
  predicate.edge_predicates.by_default.emplace_back();
  EXPECT_EQ(Touched(false, predicate), 31 + 128);
  EXPECT_EQ(Touched(false, {.edge_mask = "train"}), 31 + 16384);
  EXPECT_EQ(Touched(false, {.edge_mask = "test"}), 31);
  EXPECT_EQ(Touched(false, {.draw = DrawMode::kLabor}), 31 + 32768);
}

TEST(BytesTouched, WalksReadTheTopology) {
  SessionOptions loader;
  loader.collect = CollectedColumns::None();
  loader.kind = WalkOptions();
  EXPECT_EQ(BytesTouched(SchemaOfFiles(), loader), 31);
}

TEST(LimitMemory, IsWhatSamplingReads) {
  // 60 million edges of 8 bytes are larger than any cache.
  const LimitMemory memory = LimitMemoryOf(458 * kMiB, 16384 * kMiB);
  EXPECT_EQ(memory.measured, 458 * kMiB);
  EXPECT_EQ(memory.ToString(), "458 MiB");
  EXPECT_EQ(LimitMemoryOf(5000, 16384 * kMiB).measured, 5000);
  EXPECT_EQ(LimitMemoryOf(5000, 16384 * kMiB).ToString(), "5 KiB");
}

TEST(LimitMemory, IsAtMostAQuarterOfTheMemory) {
  EXPECT_EQ(LimitMemoryOf(1024 * kMiB, 4096 * kMiB).measured, 1024 * kMiB);
  const LimitMemory memory = LimitMemoryOf(1025 * kMiB, 4096 * kMiB);
  EXPECT_EQ(memory.measured, 1024 * kMiB);
  EXPECT_EQ(memory.ToString(),
            "1024 MiB, a quarter of the memory; sampling reads 1025 MiB");
}

TEST(LimitMemory, IsAtLeastACacheLine) {
  EXPECT_EQ(LimitMemoryOf(0, 1 << 20).measured, 64);
  EXPECT_EQ(LimitMemoryOf(100, 0).measured, 64);
}

TEST(UsableMemory, IsThere) { EXPECT_GT(UsableMemoryBytes(), kMiB); }

}  // namespace
}  // namespace tributary
