// The vectors of docs/sampling.md for draws by weight and time, of disjoint
// trees and of LABOR.
#include <gtest/gtest.h>

#include "partition/format/testing/seven_nodes.h"
#include "sampler_server/engine/testing/layouts.h"

namespace tributary {
namespace {

using Values = std::vector<int64_t>;

std::shared_ptr<MemoryGraph> SevenNodes(uint32_t partitions) {
  MemoryGraphSpec spec;
  spec.num_partitions = partitions;
  spec.neighbor_ids = true;
  spec.node_types = {{.num_nodes = 7, .time = {3, 0, 5, 1, 4, 2, 6}}};
  MemoryGraphSpec::EdgeType& type = spec.edge_types.emplace_back();
  type.edges = SevenNodesEdges();
  type.weight = {1, 2, 0, 3, 4, 1, 5, 2, 0, 1, 3, 2};
  type.time = {5, 1, 4, 2, 3, 9, 0, 7, 7, 6, 8, 2};
  type.masks["train"] = {1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1};
  type.masks["test"] = {0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0};
  return MemoryGraph::Make(spec);
}

BatchCase Case(const DrawOptions& draws, Values inputs) {
  BatchCase batch;
  batch.inputs = std::move(inputs);
  batch.options.num_neighbors = {2, 2};
  batch.options.batch_size = 4;
  batch.options.random_seed = 7;
  batch.options.shuffle = ShuffleMode::kNone;
  batch.options.draws = draws;
  return batch;
}

TEST(DrawVectors, Weighted) {
  BatchCase batch = Case({.draw = DrawMode::kWeighted}, {0, 3, 1, 6});
  batch.options.shuffle = ShuffleMode::kGlobal;
  batch.options.batch_size = 3;
  const auto sink = ExpectDigestOnLayouts(
      SevenNodes, batch,
      "f7d04c9d37d6ba070c2289420d3c9f2c9015a318fc962b504a42e46ad54b6568");
  EXPECT_EQ(Ints(*sink, "n_id"), (Values{3, 6, 1, 0, 2, 4}));
  EXPECT_EQ(Ints(*sink, "e_id"), (Values{10, 11, 5, 6, 4, 3}));
  batch.options.replace = true;
  const auto replaced = ExpectDigestOnLayouts(
      SevenNodes, batch,
      "30d627335d4675ac1921f327ae3be4b9aa75ffc77b72de2ed071d4b36baa353f");
  EXPECT_EQ(Ints(*replaced, "e_id"), (Values{10, 11, 6, 6, 4, 4}));
}

TEST(DrawVectors, Disjoint) {
  const auto sink = ExpectDigestOnLayouts(
      SevenNodes, Case({.disjoint = true}, {0, 3, 0, 6}),
      "fd0bf2ebdd26ed709e20425db48432f73672ba9f75a864fe3ad78a0c6f003d05");
  EXPECT_EQ(Ints(*sink, "n_id"),
            (Values{0, 3, 0, 6, 2, 3, 0, 4, 2, 4, 5, 1, 1, 2, 5}));
  EXPECT_EQ(Ints(*sink, "batch"),
            (Values{0, 1, 2, 3, 0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2}));
  EXPECT_EQ(Ints(*sink, "e_id"),
            (Values{1, 2, 10, 9, 4, 3, 7, 10, 11, 0, 1, 7}));
  EXPECT_EQ(Ints(*sink, "batch_size"), (Values{4}));
  EXPECT_EQ(Ints(*sink, "seed_index"), (Values{0, 1, 2, 3}));
  ExpectDigestOnLayouts(
      SevenNodes,
      Case({.draw = DrawMode::kWeighted, .disjoint = true}, {0, 3, 0, 6}),
      "e97d3effd7b2b50b241d3c85ec77c8db83b97ae1e2034c86efc1ea8b4d9d844e");
}

TEST(DrawVectors, EdgeTimes) {
  DrawOptions draws{.time = TimeMode::kEdge,
                    .input_time = InputTimeMode::kGiven};
  BatchCase batch = Case(draws, {0, 3, 0, 6});
  batch.input_time = {9, 6, 4, 9};
  const auto sink = ExpectDigestOnLayouts(
      SevenNodes, batch,
      "155e76d0a0ce715cde7e6625ee26c3285dbc4b71c101922da9819f74cb221ed9");
  EXPECT_EQ(Ints(*sink, "e_id"), (Values{2, 3, 11, 9, 2, 3, 10, 9, 6, 11}));
  EXPECT_EQ(Ints(*sink, "batch"), (Values{0, 1, 2, 3, 0, 0, 1, 1, 2, 2, 2}));
  batch.options.draws.temporal_strategy = TemporalStrategy::kLast;
  batch.options.draws.strict = true;
  batch.input_time = {9, 8, 5, 9};
  const auto last = ExpectDigestOnLayouts(
      SevenNodes, batch,
      "0ab16e9c7ecc7fadc6bf11fdc864d0bf659507ad0b6f11d4d8a1e6ceb505175f");
  EXPECT_EQ(Ints(*last, "e_id"), (Values{0, 2, 11, 9, 4, 2, 6, 10, 9, 6, 11}));
}

TEST(DrawVectors, NodeTimesAndTheInputsOwn) {
  const auto sink = ExpectDigestOnLayouts(
      SevenNodes,
      Case({.time = TimeMode::kNode, .input_time = InputTimeMode::kOwn},
           {0, 3, 0, 6}),
      "7d01fb71eb97ca989001935f5e9ea624640c4defec7219b6965b6712d85bc90a");
  EXPECT_EQ(Ints(*sink, "n_id"), (Values{0, 3, 0, 6, 1, 3, 1, 1, 3}));
}

TEST(DrawVectors, Predicates) {
  const EdgePredicates heavy = *ParseEdgePredicates("edge_weight > 1");
  const auto sink = ExpectDigestOnLayouts(
      SevenNodes, Case({.edge_predicates = heavy}, {0, 3, 0, 6}),
      "d754349a6ccc3d327fc6029abe290803170547ef3b83673032b2e3f48dc1659e");
  EXPECT_EQ(Ints(*sink, "n_id"), (Values{0, 3, 6, 2, 1, 5}));
  EXPECT_EQ(Ints(*sink, "e_id"), (Values{1, 4, 10, 11, 7, 6}));
  BatchCase weighted = Case({.draw = DrawMode::kWeighted,
                             .edge_predicates = *ParseEdgePredicates(
                                 "edge_time != 2 and edge_weight < 4")},
                            {0, 3, 0, 6});
  weighted.options.replace = true;
  const auto drawn = ExpectDigestOnLayouts(
      SevenNodes, weighted,
      "e5ff323754aabea0cea24f58909a35465d71bf850af3752a46eb883217a5129f");
  EXPECT_EQ(Ints(*drawn, "e_id"), (Values{0, 1, 10, 10, 5, 5, 7, 7}));
  BatchCase timed = Case({.time = TimeMode::kEdge,
                          .input_time = InputTimeMode::kGiven,
                          .edge_predicates = heavy},
                         {0, 3, 0, 6});
  timed.input_time = {9, 6, 4, 9};
  const auto early = ExpectDigestOnLayouts(
      SevenNodes, timed,
      "354b9807f9ee89f9a585f12f49089298ada63dd3145c81e24c9cade0e7435936");
  EXPECT_EQ(Ints(*early, "e_id"), (Values{1, 3, 11, 4, 3, 7, 6}));
  BatchCase labor = Case(
      {.draw = DrawMode::kLabor,
       .edge_predicates = *ParseEdgePredicates("node,to,node:edge_weight > 1")},
      {0, 3, 1, 6});
  labor.options.expand = ExpandMode::kAll;
  const auto shared = ExpectDigestOnLayouts(
      SevenNodes, labor,
      "d9480b62655199aa1ab693c823c5dc5a998a75ed5adce473149f0139697f0cbf");
  EXPECT_EQ(Ints(*shared, "e_id"),
            (Values{1, 3, 10, 11, 6, 1, 3, 10, 11, 6, 7}));
}

TEST(DrawVectors, Masks) {
  const auto sink = ExpectDigestOnLayouts(
      SevenNodes, Case({.edge_mask = "train"}, {0, 3, 0, 6}),
      "9dc5ca801bc3bbe6ab6786532349939d7d5b6721979af4dee7ab176b5df408fd");
  EXPECT_EQ(Ints(*sink, "n_id"), (Values{0, 3, 6, 1, 2}));
  EXPECT_EQ(Ints(*sink, "e_id"), (Values{0, 1, 10, 11, 5, 6}));
  BatchCase weighted = Case({.draw = DrawMode::kWeighted,
                             .edge_predicates = *ParseEdgePredicates(
                                 "edge_mask[test] == 0 and edge_weight < 5")},
                            {0, 3, 0, 6});
  weighted.options.replace = true;
  const auto drawn = ExpectDigestOnLayouts(
      SevenNodes, weighted,
      "2910fbc4f5cc3952aca7381686fc5fc48d4ce352e4a5fbe327ea0c98da73f674");
  EXPECT_EQ(Ints(*drawn, "e_id"), (Values{1, 3, 10, 10}));
  BatchCase timed = Case({.time = TimeMode::kEdge,
                          .input_time = InputTimeMode::kGiven,
                          .edge_mask = "train"},
                         {0, 3, 0, 6});
  timed.input_time = {9, 6, 4, 9};
  const auto early = ExpectDigestOnLayouts(
      SevenNodes, timed,
      "56c5426dc3bf03e1f918fae1ff2f95997409c5c0dcbecf3648ba4c5bcdddd239");
  EXPECT_EQ(Ints(*early, "e_id"), (Values{1, 3, 11, 1, 3, 6}));
  BatchCase labor =
      Case({.draw = DrawMode::kLabor, .edge_mask = "train"}, {0, 3, 1, 6});
  labor.options.expand = ExpandMode::kAll;
  const auto shared = ExpectDigestOnLayouts(
      SevenNodes, labor,
      "2b74254bdac6445ce247307f87e56dad2fde37896dea5b60b710b7a12c335d11");
  EXPECT_EQ(Ints(*shared, "e_id"),
            (Values{0, 3, 10, 11, 5, 6, 1, 3, 10, 11, 5, 6}));
  const auto both = ExpectDigestOnLayouts(
      SevenNodes,
      Case({.edge_predicates =
                *ParseEdgePredicates("node,to,node:edge_time < 8"),
            .edge_mask = "train"},
           {0, 3, 0, 6}),
      "cb8384d3801bf3c63a0f2883b19c44799fa23809111a79bda3fdc3045f67412f");
  EXPECT_EQ(Ints(*both, "e_id"), (Values{0, 1, 11, 6}));
}

TEST(DrawVectors, Labor) {
  BatchCase batch = Case({.draw = DrawMode::kLabor}, {0, 3, 1, 6});
  batch.options.expand = ExpandMode::kAll;
  const auto sink = ExpectDigestOnLayouts(
      SevenNodes, batch,
      "9462dcfb85aaddfa792c707a9a076a9a3c133c15bce1ec1c8a1b944519e086d8");
  EXPECT_EQ(Ints(*sink, "e_id"),
            (Values{2, 3, 11, 9, 5, 6, 2, 3, 10, 9, 5, 6}));
  EXPECT_EQ(Floats(*sink, "edge_weight"), std::vector<float>(12, 0.5f));
  batch.options.draws.layer_dependency = true;
  const auto same = ExpectDigestOnLayouts(
      SevenNodes, batch,
      "ccf0367be5f81941d8646162d269794ea95b75aae1c3955bd8dabfbb484a3a08");
  EXPECT_EQ(Ints(*same, "e_id"),
            (Values{2, 3, 11, 9, 5, 6, 2, 3, 11, 9, 5, 6}));
}

}  // namespace
}  // namespace tributary
