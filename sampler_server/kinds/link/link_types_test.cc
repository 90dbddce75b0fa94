// Links of several edge types, of the small typed graph of docs/sampling.md,
// written out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/session/kinds/link_spec.h"
#include "partition/schema/spec_graph.h"
#include "sampler_server/engine/testing/layouts.h"
#include "sampler_server/engine/testing/small_typed.h"
#include "sampler_server/kinds/registry.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Links a,r,b: 0>0 3>2 1>1; a,t,a: 2>0 0>3; b,s,a: 1>1.
BatchCase Case(const NegativeSampling& negatives = {},
               ExcludeMode exclude = ExcludeMode::kNone) {
  BatchCase batch;
  batch.links.source = {0, 3, 1, 2, 0, 1};
  batch.links.destination = {0, 2, 1, 0, 3, 1};
  batch.options.links = LinkInputs{};
  batch.options.links->lists = {{"a,r,b", 3}, {"a,t,a", 2}, {"b,s,a", 1}};
  batch.options.batch_size = 4;
  batch.options.random_seed = 7;
  batch.options.num_neighbors = {2, 2};
  batch.build_spec = [=](const SpecGraph& graph, const SpecOptions& options) {
    return BuildLinkSpec(graph, options, negatives, exclude);
  };
  return batch;
}

// In the order given, with all neighbours once.
BatchCase InOrder(const NegativeSampling& negatives = {},
                  ExcludeMode exclude = ExcludeMode::kNone) {
  BatchCase batch = Case(negatives, exclude);
  batch.options.shuffle = ShuffleMode::kNone;
  batch.options.num_neighbors = {-1};
  return batch;
}

BatchCase OnesOwn(ExcludeMode exclude = ExcludeMode::kNone) {
  NegativeSampling own{NegativeMode::kTriplet, 2};
  own.given = true;
  BatchCase batch = InOrder(own, exclude);
  batch.links.negatives = 2;
  batch.links.negative = {1, 2, 0, 1, 2, 0, 1, 3, 2, 2, 0, 3};
  return batch;
}

std::shared_ptr<RecordingSink> Made(const BatchCase& batch) {
  auto sink = OneBatchWorld(SmallTyped(2)).Run(batch);
  EXPECT_TRUE(sink->ready.has_value()) << sink->failed;
  return sink;
}

Shape ShapeOf(const RecordingSink& sink, std::string_view name) {
  const auto view = BatchView::Parse(sink.room.span());
  const TensorView* tensor = view.ok() ? view->Find(name) : nullptr;
  return tensor == nullptr ? Shape{-1} : tensor->shape;
}

// Three links of a,r,b, one of a,t,a, none of b,s,a.
TEST(LinkTypes, NumbersGoTypeByType) {
  const auto sink = Made(OnesOwn());
  EXPECT_THAT(Ints(*sink, "n_id/a"), ElementsAre(0, 3, 1, 2));
  EXPECT_THAT(Ints(*sink, "n_id/b"), ElementsAre(0, 2, 1));
  EXPECT_THAT(Ints(*sink, "num_sampled_nodes/a"), ElementsAre(4, 0));
  EXPECT_THAT(Ints(*sink, "input_id/a__r__b"), ElementsAre(0, 1, 2));
  EXPECT_THAT(Ints(*sink, "src_index/a__r__b"), ElementsAre(0, 1, 2));
  EXPECT_THAT(Ints(*sink, "dst_pos_index/a__r__b"), ElementsAre(0, 1, 2));
  EXPECT_THAT(Ints(*sink, "dst_neg_index/a__r__b"),
              ElementsAre(2, 1, 0, 2, 1, 0));
  EXPECT_THAT(Ints(*sink, "input_id/a__t__a"), ElementsAre(0));
  EXPECT_THAT(Ints(*sink, "src_index/a__t__a"), ElementsAre(3));
  EXPECT_THAT(Ints(*sink, "dst_pos_index/a__t__a"), ElementsAre(0));
  EXPECT_THAT(Ints(*sink, "dst_neg_index/a__t__a"), ElementsAre(2, 1));
  EXPECT_EQ(ShapeOf(*sink, "input_id/b__s__a"), (Shape{0}));
  EXPECT_EQ(ShapeOf(*sink, "dst_neg_index/b__s__a"), (Shape{0, 2}));
  EXPECT_EQ(ShapeOf(*sink, "src_index/a"), (Shape{-1}));
  EXPECT_THAT(Ints(*sink, "e_id/a__r__b"), ElementsAre(0, 1, 4, 2, 3));
  EXPECT_THAT(Ints(*sink, "e_id/a__t__a"), ElementsAre(2, 3, 0, 1));
  EXPECT_THAT(Ints(*sink, "e_id/b__s__a"), ElementsAre(0, 4, 3, 1, 2));
}

// The list goes on: the second of a,t,a, the only one of b,s,a.
TEST(LinkTypes, InputsCountWithinTheTypesList) {
  BatchCase batch = OnesOwn();
  batch.index = 1;
  const auto sink = Made(batch);
  EXPECT_THAT(Ints(*sink, "input_id/a__r__b"), IsEmpty());
  EXPECT_EQ(ShapeOf(*sink, "input_id/a__r__b"), (Shape{0}));
  EXPECT_THAT(Ints(*sink, "input_id/a__t__a"), ElementsAre(1));
  EXPECT_THAT(Ints(*sink, "input_id/b__s__a"), ElementsAre(0));
  // 0>3 with 2 2, 1>1 with 0 3.
  EXPECT_THAT(Ints(*sink, "n_id/a"), ElementsAre(0, 3, 2, 1));
  EXPECT_THAT(Ints(*sink, "n_id/b"), ElementsAre(1, 0, 2));
  EXPECT_THAT(Ints(*sink, "dst_neg_index/a__t__a"), ElementsAre(2, 2));
  EXPECT_THAT(Ints(*sink, "dst_neg_index/b__s__a"), ElementsAre(0, 1));
}

TEST(LinkTypes, LinksOfEveryTypeAreExcluded) {
  const auto sink = Made(OnesOwn(ExcludeMode::kPair));
  EXPECT_THAT(Ints(*sink, "e_id/a__r__b"), ElementsAre(1, 4, 2, 3));
  EXPECT_THAT(Ints(*sink, "e_id/a__t__a"), ElementsAre(3, 0, 1));
  EXPECT_THAT(Ints(*sink, "e_id/b__s__a"), ElementsAre(0, 4, 3, 1, 2));
  BatchCase by_id = OnesOwn(ExcludeMode::kSelf);
  by_id.links.edge_id = {4, -1, 2, 0, -1, 1};  // as if they were
  by_id.options.batch_size = 6;
  const auto self = Made(by_id);
  EXPECT_THAT(Ints(*self, "e_id/b__s__a"),
              testing::UnorderedElementsAre(0, 2, 3, 4));
}

// Of disjoint batches there is a tree for each link of whatever type.
TEST(LinkTypes, TreesAreNumberedThroughTheBatch) {
  BatchCase batch = InOrder();
  batch.options.num_neighbors = {0};
  batch.options.draws.disjoint = true;
  const auto sink = Made(batch);
  EXPECT_THAT(Ints(*sink, "n_id/a"), ElementsAre(0, 3, 1, 2, 0));
  EXPECT_THAT(Ints(*sink, "batch/a"), ElementsAre(0, 1, 2, 3, 3));
  EXPECT_THAT(Ints(*sink, "n_id/b"), ElementsAre(0, 2, 1));
  EXPECT_THAT(Ints(*sink, "batch/b"), ElementsAre(0, 1, 2));
  EXPECT_THAT(Ints(*sink, "edge_label_index/a__t__a"), ElementsAre(3, 4));
  EXPECT_EQ(ShapeOf(*sink, "edge_label_index/b__s__a"), (Shape{2, 0}));
}

// Negatives are those that a session of the type alone draws to these links.
TEST(LinkTypes, NegativesAreTheTypesOwn) {
  const NegativeSampling binary{NegativeMode::kBinary, 1.5};
  BatchCase several = InOrder(binary);
  several.options.batch_size = 6;
  const auto sink = Made(several);
  const std::vector<std::string> types = {"a,r,b", "a,t,a", "b,s,a"};
  const std::vector<std::string> suffixes = {"/a__r__b", "/a__t__a",
                                             "/b__s__a"};
  const std::vector<uint64_t> first = {0, 3, 5, 6};
  const std::vector<std::string> ends = {"ab", "aa", "ba"};
  for (size_t t = 0; t < types.size(); ++t) {
    BatchCase one = InOrder(binary);
    one.links.source.assign(several.links.source.begin() + first[t],
                            several.links.source.begin() + first[t + 1]);
    one.links.destination.assign(
        several.links.destination.begin() + first[t],
        several.links.destination.begin() + first[t + 1]);
    one.options.links->lists.clear();
    one.options.links->edge_type = types[t];
    const auto alone = Made(one);
    const auto ids = [&](const RecordingSink& batch) {
      std::vector<int64_t> index =
          Ints(batch, "edge_label_index" + suffixes[t]);
      for (size_t i = 0; i < index.size(); ++i) {
        const char end = ends[t][i < index.size() / 2 ? 0 : 1];
        index[i] = Ints(batch, std::string("n_id/") + end)[index[i]];
      }
      return index;
    };
    EXPECT_EQ(ids(*sink), ids(*alone)) << types[t];
    EXPECT_EQ(Ints(*sink, "input_id" + suffixes[t]),
              Ints(*alone, "input_id" + suffixes[t]));
  }
}

TEST(LinkTypes, TheVectorsOfSampling) {
  ExpectDigestOnLayouts(
      SmallTyped, Case(),
      "bd5db9f514fec049bbb3f642760aafb432a383242c82c9b2800d07bc5df2b660");
  BatchCase second = Case();
  second.index = 1;
  ExpectDigestOnLayouts(
      SmallTyped, second,
      "bad74b17c374d3cda722d6a918627b0408baf1fb14a3e68b932552906a5093d0");
  BatchCase labelled = Case({NegativeMode::kBinary, 0.5});
  labelled.links.SetLabels(std::vector<int64_t>{1, 2, 3, 4, 5, 6});
  labelled.options.links->label = LabelType::kInt64;
  ExpectDigestOnLayouts(
      SmallTyped, labelled,
      "c29d7b3f6db975fd2175e7b4780998fe899332b95fcf05bfaf0b78d30f2d0938");
  BatchCase trees = Case({NegativeMode::kTriplet, 2});
  trees.options.draws.disjoint = true;
  ExpectDigestOnLayouts(
      SmallTyped, trees,
      "fabaf033c59833405c001865bd7b76d687095c1306c35af0b684738ade441819");
  ExpectDigestOnLayouts(
      SmallTyped,
      Case({NegativeMode::kDestination, 1, true, OnExhausted::kAccept}),
      "2048a05e9ec5e0d90b6a81fd408d7cfb142e97a03e360abfe42614e4d37ccc3e");
  ExpectDigestOnLayouts(
      SmallTyped, OnesOwn(),
      "c7aadcbb6f67fbde372be9edf372ec0a8c910489c686f06e4d7246be1dd80394");
}

// A client's credit is not believed.
TEST(LinkTypes, InputsThatDoNotComeTypeByTypeAreRefused) {
  const auto graph = SmallTyped(2);
  BatchRequest request = RequestOf(graph->schema(), InOrder());
  std::swap(request.input_number[0], request.input_number[3]);
  OneBatchWorld world(graph);
  const auto sink = world.Start(std::move(request));
  ASSERT_TRUE(world.world().Drain(100'000));
  EXPECT_EQ(sink->failed.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(sink->failed.message()),
              HasSubstr("link 1 of the batch is number 1; allowed: one of 6"));
}

TEST(LinkTypes, ListsThatAreNoneAreRefused) {
  const auto graph = SmallTyped(1);
  BatchCase batch = InOrder();
  const v1::SessionSpec good = PlanOf(graph->schema(), batch)->spec;
  const auto refusal = [&](auto change) {
    v1::SessionSpec spec = good;
    change(spec.mutable_inputs());
    const auto plan = MakePlan(graph->schema(), spec.SerializeAsString());
    EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(plan.status().message());
  };
  EXPECT_THAT(refusal([](v1::Inputs* inputs) {
                inputs->mutable_link_lists()->SwapElements(0, 1);
              }),
              HasSubstr("a,r,b after a,t,a; allowed: canonical order"));
  EXPECT_THAT(refusal([](v1::Inputs* inputs) {
                inputs->mutable_link_lists(1)->set_edge_type("a,r,b");
              }),
              HasSubstr("a,r,b after a,r,b; allowed: canonical order, each"));
  EXPECT_THAT(refusal([](v1::Inputs* inputs) {
                inputs->mutable_link_lists(1)->set_edge_type("a,rr,b");
              }),
              HasSubstr("'a,rr,b'; allowed: a,r,b a,t,a b,s,a"));
  EXPECT_THAT(refusal([](v1::Inputs* inputs) {
                inputs->mutable_link_lists(2)->set_count(0);
              }),
              HasSubstr("0 links of b,s,a; allowed: 1 up to 1"));
  EXPECT_THAT(refusal([](v1::Inputs* inputs) {
                inputs->mutable_link_lists(1)->set_count(UINT64_MAX);
              }),
              HasSubstr("links of a,t,a; allowed: 1 up to 3"));
  EXPECT_THAT(refusal([](v1::Inputs* inputs) { inputs->set_count(7); }),
              HasSubstr("7, 1 more than in link_lists"));
  EXPECT_THAT(refusal([](v1::Inputs* inputs) {
                inputs->mutable_link_lists()->DeleteSubrange(1, 2);
                inputs->set_count(3);
              }),
              HasSubstr("allowed: two or more, or edge_type alone"));
  EXPECT_THAT(
      refusal([](v1::Inputs* inputs) { inputs->set_edge_type("a,r,b"); }),
      HasSubstr("3 with edge_type 'a,r,b'"));
  EXPECT_THAT(refusal([](v1::Inputs* inputs) { inputs->set_node_type("a"); }),
              HasSubstr("inputs.node_type: 'a' beside edge_type"));
}

TEST(LinkTypes, WhatIsOfOneTypeIsRefusedByName) {
  const SpecGraph graph = SpecGraphOf(SmallTyped(1)->schema());
  BatchCase batch = InOrder();
  batch.options.input_count = 6;
  batch.options.num_neighbors = {0};
  batch.options.draws.disjoint = true;
  batch.options.subgraph.type = SubgraphType::kInduced;
  const auto enclosing =
      BuildLinkSpec(graph, batch.options, {}, ExcludeMode::kNone, true);
  EXPECT_THAT(std::string(enclosing.status().message()),
              HasSubstr("enclosing: with links of several edge types"));
  // Pairs of ids hold edges of one node type.
  batch = InOrder({}, ExcludeMode::kReverseId);
  batch.options.input_count = 6;
  const auto spec = batch.build_spec(graph, batch.options);
  ASSERT_TRUE(spec.ok()) << spec.status();
  const auto plan = MakePlan(SmallTyped(1)->schema(), *spec);
  EXPECT_THAT(std::string(plan.status().message()),
              HasSubstr("reverse_id of a,r,b, whose ends are of two types"));
}

// What is rounded up of each type counts.
TEST(LinkTypes, TheLimitIsOfAllTypesTogether) {
  const NegativeSampling some{NegativeMode::kBinary, 63.0 + 0.5 / 65536};
  EXPECT_TRUE(CheckNegatives(some, 65535, LabelType::kNone, false, 1).ok());
  EXPECT_TRUE(CheckNegatives(some, 65535, LabelType::kNone, false, 64).ok());
  EXPECT_FALSE(CheckNegatives(some, 65535, LabelType::kNone, false, 65).ok());
}

}  // namespace
}  // namespace tributary
