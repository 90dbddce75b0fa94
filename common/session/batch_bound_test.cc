#include "common/session/batch_bound.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

BatchBoundInputs Homogeneous() {
  BatchBoundInputs in;
  in.node_types = {{"node", 1'000'000, 400}};
  in.edge_types = {{"node,to,node", 0, 0, 20'000'000, 0, {15, 10, 5}}};
  in.num_inputs = 1024;
  return in;
}

// 1024 inputs, then 15,360, 153,600 and 768,000 edges, each to a new node.
TEST(BatchBytesBound, IsTheProductOfFanouts) {
  const uint64_t edges = 15'360 + 153'600 + 768'000;
  const uint64_t rows = (1024 + edges) * (8 + 400) + edges * 16 + 1024u * 12;
  const uint64_t bound = BatchBytesBound(Homogeneous());
  EXPECT_GE(bound, rows);
  EXPECT_LT(bound, rows + 4096);  // header, counts, padding
}

TEST(BatchBytesBound, GraphBoundsIt) {
  BatchBoundInputs in = Homogeneous();
  in.node_types[0].num_nodes = 100;
  in.edge_types[0].num_edges = 1000;
  // 100 nodes; at most 1000 edges a hop.
  EXPECT_LT(BatchBytesBound(in), 100 * 408 + 3000 * 16 + 1024 * 12 + 4096);
  in.edge_types[0].fanouts = {-1, -1, -1};
  EXPECT_LT(BatchBytesBound(in), 100 * 408 + 3000 * 16 + 1024 * 12 + 4096);
  // With replacement, edges repeat without end.
  in.replace = true;
  in.edge_types[0].fanouts = {1000, 0, 0};
  EXPECT_GT(BatchBytesBound(in), 100 * 1000 * 16u);
}

// Where the fanout is a total, all types together find no more nodes than it
// allows: 10 inputs draw 40 edges, and what these lead to, 40 at most of each
// type, draws 80 each, 160 together.
TEST(BatchBytesBound, ATotalBoundsTheNodes) {
  BatchBoundInputs in;
  in.node_types = {{"a", 100'000, 100}, {"b", 100'000, 100}};
  in.edge_types = {{"a,q,b", 0, 1, 1'000'000, 0, {4, 2}},
                   {"a,r,b", 0, 1, 1'000'000, 0, {4, 2}},
                   {"a,s,a", 0, 0, 1'000'000, 0, {4, 2}},
                   {"b,t,a", 1, 0, 1'000'000, 0, {4, 2}},
                   {"b,u,a", 1, 0, 1'000'000, 0, {4, 2}}};
  in.num_inputs = 10;
  in.across_types = true;
  const uint64_t nodes = (10 + 40 + 160) + (40 + 160);
  const uint64_t edges = 3 * 40 + 2 * 80 + 3 * 80;
  const uint64_t rows = nodes * 108 + edges * 16 + 10 * 12;
  EXPECT_GE(BatchBytesBound(in), rows);
  EXPECT_LT(BatchBytesBound(in), rows + 10'000);
  in.across_types = false;
  EXPECT_GT(BatchBytesBound(in), rows + 10'000);
  in.across_types = true;
  for (auto& type : in.edge_types) type.fanouts = {-1, -1};
  EXPECT_GT(BatchBytesBound(in), 200'000u * 108);
}

TEST(BatchBytesBound, Saturates) {
  BatchBoundInputs in = Homogeneous();
  in.replace = true;
  in.node_types[0].num_nodes = UINT64_MAX;
  in.edge_types[0].fanouts.assign(32, 1 << 20);
  EXPECT_EQ(BatchBytesBound(in), UINT64_MAX);
}

TEST(BatchBytesBound, TypesAreCountedApart) {
  BatchBoundInputs in;
  in.node_types = {{"a", 1000, 0}, {"b", 1000, 100}};
  in.edge_types = {{"a,to,b", 0, 1, 5000, 0, {4, 4}},
                   {"b,to,a", 1, 0, 5000, 8, {2, 0}}};
  in.input_type = 0;
  in.num_inputs = 10;
  // Hop 0: 20 edges b,to,a. Hop 1: those 20 b's draw 80 a's.
  const uint64_t rows = (10 + 80) * 8 + 20 * 108 + 20 * 24 + 80 * 16 + 10 * 12;
  EXPECT_GE(BatchBytesBound(in), rows);
  EXPECT_LT(BatchBytesBound(in), rows + 8192);
}

// 100 nodes and 1000 edges, as often as there are trees; each node with its
// tree.
TEST(BatchBytesBound, TheGraphBoundsEachTree) {
  BatchBoundInputs in = Homogeneous();
  in.node_types[0].num_nodes = 100;
  in.edge_types[0].num_edges = 1000;
  in.edge_types[0].fanouts = {-1, -1};
  in.num_inputs = 3;
  in.disjoint = true;
  const uint64_t rows = 300 * 416 + 2 * 3000 * 16 + 3 * 12;
  EXPECT_GE(BatchBytesBound(in), rows);
  EXPECT_LT(BatchBytesBound(in), rows + 4096);
}

// 90 a's and 20 b's; only b,to,a has degrees.
TEST(BatchBytesBound, DegreesTakeEightBytesForEachNodeOfBothEnds) {
  BatchBoundInputs in;
  in.node_types = {{"a", 1000, 0}, {"b", 1000, 100}, {"c", 1000, 0}};
  in.edge_types = {{"a,to,b", 0, 1, 5000, 0, {4, 4}},
                   {"b,to,a", 1, 0, 5000, 8, {2, 0}}};
  in.num_inputs = 10;
  const uint64_t before = BatchBytesBound(in);
  in.edge_types[1].degrees = true;
  EXPECT_GE(BatchBytesBound(in), before + (90 + 20) * 8);
  EXPECT_LT(BatchBytesBound(in), before + (90 + 20) * 8 + 512);
}

TEST(BatchBytesBound, WeightsOfEdgesTakeFourBytesEach) {
  BatchBoundInputs in = Homogeneous();
  const uint64_t before = BatchBytesBound(in);
  in.edge_weights = true;
  const uint64_t edges = 15'360 + 153'600 + 768'000;
  EXPECT_GE(BatchBytesBound(in), before + edges * 4);
  EXPECT_LT(BatchBytesBound(in), before + edges * 4 + 1024);
}

}  // namespace
}  // namespace tributary
