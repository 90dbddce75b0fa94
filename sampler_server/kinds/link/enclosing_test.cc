// SEAL's subgraphs of the seven nodes of docs/sampling.md, written out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/session/kinds/link_spec.h"
#include "partition/format/testing/seven_nodes.h"
#include "partition/schema/spec_graph.h"
#include "sampler_server/engine/testing/layouts.h"
#include "sampler_server/kinds/registry.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<MemoryGraph> SevenNodes(uint32_t partitions) {
  MemoryGraphSpec spec;
  spec.num_partitions = partitions;
  spec.node_types = {{.num_nodes = 7}};
  spec.edge_types.push_back({.edges = SevenNodesEdges()});
  return MemoryGraph::Make(spec);
}

// Links with an edge, with one the other way, with none, and from a node to
// itself.
BatchCase Case() {
  BatchCase batch;
  batch.links.source = {0, 3, 1, 5};
  batch.links.destination = {3, 1, 6, 5};
  batch.links.SetLabels(std::vector<int64_t>{1, 1, 0, 1});
  batch.options.batch_size = 4;
  batch.options.random_seed = 7;
  batch.options.shuffle = ShuffleMode::kNone;
  batch.options.num_neighbors = {-1, -1};
  batch.options.draws.disjoint = true;
  batch.options.subgraph.type = SubgraphType::kInduced;
  batch.options.links = LinkInputs{"", LabelType::kInt64};
  batch.build_spec = [](const SpecGraph& graph, const SpecOptions& options) {
    return BuildLinkSpec(graph, options, {}, ExcludeMode::kNone, true);
  };
  return batch;
}

TEST(Enclosing, TheVectorOfSampling) {
  const auto sink = ExpectDigestOnLayouts(
      SevenNodes, Case(),
      "e1ceb56cf5fab3ed089bbf1baa3b3c4ace8c324f6b5d0e1e6b8a542a267d1b27");
  EXPECT_THAT(Ints(*sink, "n_id"), ElementsAre(0, 3, 1, 5, 3, 1, 6, 1, 2, 4, 0,
                                               4, 0, 3, 5, 2, 2, 4));
  EXPECT_THAT(Ints(*sink, "z"), ElementsAre(1, 1, 1, 1, 1, 1, 1, 2, 0, 2, 2, 3,
                                            0, 0, 0, 5, 0, 0));
}

// Whatever room is offered, the batch is the same in the end.
TEST(Enclosing, LittleRoomTellsHowMuchItTakes) {
  const auto graph = SevenNodes(2);
  BatchCase batch = Case();
  const auto whole = OneBatchWorld(graph).Run(batch);
  for (uint64_t room : {1, 500, 1000, 1500}) {
    batch.max_bytes = room;
    auto sink = OneBatchWorld(graph).Run(batch);
    for (int tries = 0; sink->needs.has_value() && tries < 12; ++tries) {
      ASSERT_GT(*sink->needs, batch.max_bytes);
      batch.max_bytes = *sink->needs;
      sink = OneBatchWorld(graph).Run(batch);
    }
    ASSERT_TRUE(sink->ready.has_value()) << sink->failed;
    EXPECT_EQ(DigestOf(*sink), DigestOf(*whole));
  }
}

TEST(Enclosing, WhatItDoesNotGoWith) {
  const SpecGraph graph = SpecGraphOf(SevenNodes(1)->schema());
  const auto refusal = [&](const std::function<void(SpecOptions&)>& change,
                           const NegativeSampling& negatives = {},
                           ExcludeMode exclude = ExcludeMode::kNone) {
    SpecOptions options = Case().options;
    options.input_count = 4;
    change(options);
    return std::string(BuildLinkSpec(graph, options, negatives, exclude, true)
                           .status()
                           .message());
  };
  const auto nothing = [](SpecOptions&) {};
  EXPECT_EQ(refusal(nothing), "");
  EXPECT_THAT(refusal([](SpecOptions& o) { o.draws.disjoint = false; }),
              HasSubstr("without subgraph_type induced and disjoint"));
  EXPECT_THAT(refusal([](SpecOptions& o) { o.subgraph = {}; }),
              HasSubstr("without subgraph_type induced and disjoint"));
  EXPECT_THAT(refusal(nothing, {NegativeMode::kBinary}),
              HasSubstr("neg_sampling none"));
  EXPECT_THAT(refusal(nothing, {}, ExcludeMode::kPair),
              HasSubstr("enclosing: with exclude"));
}

// Distances are between nodes of one type.
TEST(Enclosing, OtherNodesAreRefused) {
  MemoryGraphSpec spec;
  spec.heterogeneous = true;
  spec.node_types = {{.name = "a", .num_nodes = 3},
                     {.name = "b", .num_nodes = 3}};
  spec.edge_types.push_back({.src = "a", .dst = "a", .edges = {{0, 1}}});
  spec.edge_types.push_back({.src = "b", .dst = "a", .edges = {{0, 1}}});
  const auto graph = MemoryGraph::Make(spec);
  BatchCase batch = Case();
  batch.links = {};
  batch.links.source = {0};
  batch.links.destination = {1};
  batch.options.links = LinkInputs{"a,to,a"};
  const auto plan_error = [&] {
    batch.options.input_count = 1;
    const auto bytes =
        batch.build_spec(SpecGraphOf(graph->schema()), batch.options);
    return std::string(SamplingPlan::Make(AllKinds(), graph->schema(), *bytes)
                           .status()
                           .message());
  };
  EXPECT_THAT(plan_error(), HasSubstr("b,to,a between nodes of other types"));
  batch.options.num_neighbors.by_edge_type["b,to,a"] = {0, 0};
  EXPECT_EQ(plan_error(), "");
  batch.options.num_neighbors.by_edge_type["a,to,a"] = {0, 0};
  batch.options.links = LinkInputs{"b,to,a"};
  EXPECT_THAT(plan_error(), HasSubstr("ends are of two types"));
}

}  // namespace
}  // namespace tributary
