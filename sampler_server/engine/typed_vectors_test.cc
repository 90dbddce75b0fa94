// The vectors of docs/sampling.md for a total fanout over edge types.
#include <gtest/gtest.h>

#include "partition/format/testing/seven_nodes.h"
#include "sampler_server/engine/testing/layouts.h"
#include "sampler_server/engine/testing/small_typed.h"
#include "sampler_server/kinds/registry.h"

namespace tributary {
namespace {

using Values = std::vector<int64_t>;

BatchCase Case(std::vector<int32_t> fanouts, Values inputs = {0, 3, 2, 1}) {
  BatchCase batch;
  batch.inputs = std::move(inputs);
  batch.options.input_type = "a";
  batch.options.num_neighbors.by_default = std::move(fanouts);
  batch.options.batch_size = 4;
  batch.options.random_seed = 7;
  batch.options.shuffle = ShuffleMode::kNone;
  batch.options.draws.draw = DrawMode::kAcrossTypes;
  return batch;
}

TEST(TypedVectors, ATotalOverEdgeTypes) {
  const auto sink = ExpectDigestOnLayouts(
      SmallTyped, Case({1, 1}),
      "32c34b11563090114667491c245e002901fec6b33f3c633e87b1665cdea98fd2");
  EXPECT_EQ(Ints(*sink, "e_id/a__t__a"), (Values{2}));
  EXPECT_EQ(Ints(*sink, "e_id/b__s__a"), (Values{4, 2, 1}));
  EXPECT_EQ(Ints(*sink, "e_id/a__r__b"), (Values{1, 4, 2}));
  EXPECT_EQ(Ints(*sink, "num_sampled_edges/b__s__a"), (Values{3, 0}));
}

TEST(TypedVectors, ATotalWithReplacement) {
  BatchCase batch = Case({2, 1});
  batch.options.replace = true;
  const auto sink = ExpectDigestOnLayouts(
      SmallTyped, batch,
      "48135e7c991f4a7796dd325678aac335f93b12516833a34945ccbcf4132c17fa");
  EXPECT_EQ(Ints(*sink, "e_id/a__t__a"), (Values{2, 0}));
  EXPECT_EQ(Ints(*sink, "e_id/b__s__a"), (Values{0, 4, 3, 2, 2, 1}));
}

TEST(TypedVectors, ATotalOfAllThatAreKnownAndInTrees) {
  BatchCase all = Case({1, 2});
  all.options.expand = ExpandMode::kAll;
  ExpectDigestOnLayouts(
      SmallTyped, all,
      "c62b5aa1df09a9969688c8b67ac9833cdab144ce2999465b642f0a702e127f23");
  BatchCase trees = Case({1, 1}, {0, 3, 0, 1});
  trees.options.draws.disjoint = true;
  const auto sink = ExpectDigestOnLayouts(
      SmallTyped, trees,
      "c9cbdb3d5db9313ab02e887ffabe81fd4e4ba0384180389b1587f953c53dd626");
  EXPECT_EQ(Ints(*sink, "batch/b"), (Values{1, 2, 3}));
}

// Nothing shares the fanout: what uniform draws, to the bit.
TEST(TypedVectors, OneEdgeTypeDrawsAsUniform) {
  MemoryGraphSpec spec;
  spec.node_types = {{.num_nodes = 7}};
  spec.edge_types.emplace_back().edges = SevenNodesEdges();
  BatchCase batch = Case({2, 2}, {0, 3, 1, 6});
  batch.options.input_type.clear();
  batch.options.batch_size = 3;
  batch.options.shuffle = ShuffleMode::kGlobal;
  EXPECT_EQ(DigestOf(*OneBatchWorld(MemoryGraph::Make(spec)).Run(batch)),
            "40f3931e79d7981eab5280634bd5c838e70fd027f06808b251600db22e804e68");
}

// A client's specification of some of the types is refused: it would be another
// batch by what the graph has.
TEST(TypedVectors, ATotalIsOverAllTypes) {
  const auto graph = SmallTyped(1);
  v1::SessionSpec spec = RequestOf(graph->schema(), Case({1, 1})).plan->spec;
  spec.mutable_neighbor()->mutable_fanouts()->RemoveLast();
  const auto plan = MakePlan(graph->schema(), spec.SerializeAsString());
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(plan.status().message().find(
                "2 edge types with draw across_types; allowed: all 3: a,r,b "
                "a,t,a b,s,a"),
            std::string::npos)
      << plan.status();
}

}  // namespace
}  // namespace tributary
