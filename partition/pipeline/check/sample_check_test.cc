#include "partition/pipeline/check/sample_check.h"

#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/pipeline/check/testing/planted_folder.h"

namespace tributary {
namespace {

using testing::HasSubstr;

TEST(CompareSample, PassesWhatWasWritten) {
  GraphSpec reversed = FullSpec();
  reversed.edge_splits.clear();
  reversed.add_reverse = true;
  GraphSpec deduped = reversed;
  deduped.edges.push_back({0, 1});
  deduped.edges.push_back({1, 0});
  for (auto* column : {&deduped.edge_attr}) column->resize(6, 9);
  deduped.weight.resize(6, 9);
  deduped.edge_time.resize(6, 9);
  for (auto& [name, mask] : deduped.masks) mask.resize(6, 1);
  deduped.dedupe = true;
  for (const GraphSpec& spec : {PlainSpec(), FullSpec(), reversed, deduped}) {
    const PlantedFolder folder(spec);
    const auto graph = Graph::Open(folder.path());
    ASSERT_TRUE(graph.ok()) << graph.status();
    for (const uint64_t count : {1, 3, 1000}) {
      const absl::Status same =
          CompareSample(**graph, SourceOf(spec), {.count = count});
      EXPECT_TRUE(same.ok()) << same;
    }
  }
}

TEST(CompareSample, FindsChangedColumnsOfEdgesAndNodes) {
  const std::pair<void (*)(GraphSpec&), std::string> cases[] = {
      {[](GraphSpec& s) { s.node_time[3] = 9; }, "time of node of node 3"},
      {[](GraphSpec& s) { s.node_time.clear(); },
       "time of node: int64 of width 0 in the graph, none in the input"},
      {[](GraphSpec& s) { s.weight[1] = 2.5; },
       "edge 1 from 2 to 1: weight (memory, row 1)"},
      {[](GraphSpec& s) { s.edge_time[3] = 41; }, "edge 3 from 1 to 0: time"},
      {[](GraphSpec& s) { s.masks["train"][1] = 1; },
       "edge 1 from 2 to 1: mask train"},
      {[](GraphSpec& s) { s.masks.erase("test"); },
       "mask test of node,to,node: bool of width 0 in the graph, none"},
      {[](GraphSpec& s) { s.edge_attr.clear(); },
       "edge_attr of node,to,node: float32 of width 1 in the graph, none"},
      {[](GraphSpec& s) { s.num_nodes = 5; }, "nodes of node: 4 in the graph"},
  };
  const PlantedFolder folder(FullSpec());
  const auto graph = Graph::Open(folder.path());
  ASSERT_TRUE(graph.ok()) << graph.status();
  for (const auto& [change, what] : cases) {
    GraphSpec spec = FullSpec();
    change(spec);
    const absl::Status status =
        CompareSample(**graph, SourceOf(spec), {.count = 100});
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << what;
    EXPECT_THAT(std::string(status.message()), HasSubstr(what));
  }
}

TEST(CompareSample, LooksAtDifferentItemsByItsSeed) {
  GraphSpec spec{.num_nodes = 1000, .edges = {{0, 1}}, .num_partitions = 2};
  spec.x.resize(1000, 1);
  const PlantedFolder folder(spec);
  const auto graph = Graph::Open(folder.path());
  ASSERT_TRUE(graph.ok()) << graph.status();
  spec.x[500] = 2;
  int found = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    found += CompareSample(**graph, SourceOf(spec),
                           {.count = 100, .random_seed = seed})
                     .ok()
                 ? 0
                 : 1;
  }
  // Binomial, 200 trials of 1/10: mean 20, deviation 4.2.
  EXPECT_GT(found, 3);
  EXPECT_LT(found, 45);
}

}  // namespace
}  // namespace tributary
