// Sessions of neighbours: weights, times, trees and features.
#include "trainer_client/core/session/session_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/proto/session.pb.h"
#include "common/session/spec_builder.h"
#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<const AcceptedGraph> Graph3(bool columns) {
  GraphSpec spec;
  spec.num_nodes = 3;
  spec.edges = {{0, 1}, {1, 2}, {2, 0}};
  if (columns) {
    spec.weight = {1, 2, 3};
    spec.edge_time = {10, 20, 30};
    spec.node_time = {1, 2, 3};
  }
  const auto graph = BuildGraph(spec);
  return std::make_shared<AcceptedGraph>(
      AcceptedGraph{graph->schema_json(), graph->schema()});
}

absl::StatusOr<LoaderSession> Make(const DrawOptions& draws,
                                   std::vector<int64_t> times = {},
                                   bool columns = true) {
  CommonLoaderOptions common;
  common.input_nodes = {0, 1, 2};
  common.batch_size = 2;
  NeighborOptions neighbors;
  neighbors.num_neighbors = {2, 2};
  neighbors.draws = draws;
  neighbors.input_time = std::move(times);
  return MakeSession(SessionOptions(common, neighbors), Graph3(columns));
}

v1::SessionSpec SpecOf(const LoaderSession& session) {
  v1::SessionSpec spec;
  EXPECT_TRUE(spec.ParseFromString(*session.spec));
  return spec;
}

TEST(NeighborSession, TimesAreOnePerInputOrOneForAll) {
  const auto each = Make({.time = TimeMode::kEdge}, {7, 8, 9});
  ASSERT_TRUE(each.ok()) << each.status();
  EXPECT_THAT(*each->input_times, ElementsAre(7, 8, 9));
  EXPECT_EQ(each->inputs, InputsSha256({0, 1, 2}, {7, 8, 9}));
  EXPECT_EQ(SpecOf(*each).inputs().time(), v1::INPUT_TIME_GIVEN);
  EXPECT_TRUE(SpecOf(*each).neighbor().disjoint());
  const auto all = Make({.time = TimeMode::kEdge}, {7});
  EXPECT_THAT(*all->input_times, ElementsAre(7, 7, 7));
  const auto two = Make({.time = TimeMode::kEdge}, {7, 8}).status();
  EXPECT_EQ(two.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(two.message()),
              AllOf(HasSubstr("input_time is 2 times"),
                    HasSubstr("3, one for each input")));
}

TEST(NeighborSession, WithoutTimesTheNodesOwnAreTaken) {
  const auto own = Make({.time = TimeMode::kNode});
  ASSERT_TRUE(own.ok()) << own.status();
  EXPECT_EQ(own->input_times, nullptr);
  EXPECT_EQ(own->inputs, InputsSha256({0, 1, 2}));
  EXPECT_EQ(SpecOf(*own).inputs().time(), v1::INPUT_TIME_OWN);
}

// A file of no times is no wish for the nodes' own.
TEST(NeighborSession, GivenTimesMayNotBeNone) {
  const auto none =
      Make({.time = TimeMode::kEdge, .input_time = InputTimeMode::kGiven})
          .status();
  EXPECT_THAT(std::string(none.message()), HasSubstr("input_time is 0 times"));
}

TEST(NeighborSession, BatchesStayOnTheCpu) {
  CommonLoaderOptions common;
  common.input_nodes = {0};
  const auto check = [&common](const char* device) {
    common.to_device = device;
    return CheckSessionOptions(
        SessionOptions(common, NeighborOptions{.num_neighbors = {2}}));
  };
  EXPECT_TRUE(check("").ok());
  EXPECT_TRUE(check("cpu").ok());
  const absl::Status gpu = check("cuda:0");
  EXPECT_EQ(gpu.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(gpu.message()),
              AllOf(HasSubstr("to_device is cuda:0; allowed: cpu"),
                    HasSubstr("DeviceCopies")));
}

TEST(NeighborSession, WhatTheGraphDoesNotHaveIsRefusedAtOnce) {
  const auto refusal = [](const DrawOptions& draws, bool columns) {
    const absl::Status status = Make(draws, {}, columns).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_THAT(refusal({.draw = DrawMode::kWeighted}, false),
              HasSubstr("weighted, but no sampled edge type has weights"));
  EXPECT_THAT(refusal({.draw = DrawMode::kLabor}, true),
              HasSubstr("no neighbours' original ids"));
  EXPECT_THAT(refusal({.edge_mask = "train"}, true),
              HasSubstr("edge_mask: 'train', which no sampled edge type has"));
  EXPECT_THAT(refusal({.time = TimeMode::kNode}, false),
              HasSubstr("nodes of type node have no times"));
}

// 3 nodes of 5 values, 3 edges of 2: two bytes less for each.
TEST(NeighborSession, AFeatureDTypeIsPartOfTheSession) {
  GraphSpec spec;
  spec.num_nodes = 3;
  spec.edges = {{0, 1}, {1, 2}, {2, 0}};
  const auto make = [&](FeatureDType dtype) {
    const auto built = BuildGraph(spec);
    CommonLoaderOptions common;
    common.input_nodes = {0, 1, 2};
    common.batch_size = 3;
    common.feature_dtype = dtype;
    return MakeSession(
        SessionOptions(common, NeighborOptions{.num_neighbors = {2}}),
        std::make_shared<AcceptedGraph>(
            AcceptedGraph{built->schema_json(), built->schema()}));
  };
  EXPECT_THAT(std::string(make(FeatureDType::kFloat16).status().message()),
              HasSubstr("feature_dtype: float16, but what is collected has no "
                        "floating features"));
  spec.x.resize(15);
  spec.x_dim = 5;
  spec.edge_attr.resize(6);
  spec.edge_attr_dim = 2;
  const auto stored = make(FeatureDType::kStored);
  const auto half = make(FeatureDType::kFloat16);
  ASSERT_TRUE(half.ok()) << half.status();
  EXPECT_EQ(SpecOf(*stored).feature_dtype(), 0u);
  EXPECT_EQ(SpecOf(*half).feature_dtype(), 6u);
  EXPECT_NE(half->identity, stored->identity);
  EXPECT_EQ(half->max_batch_bytes, stored->max_batch_bytes - 30 - 12);
  // A scale for each, and two tensors of them.
  const auto eighth = make(FeatureDType::kInt8);
  EXPECT_EQ(SpecOf(*eighth).feature_dtype(), 2u);
  EXPECT_EQ(eighth->max_batch_bytes, stored->max_batch_bytes - 45 - 18 + 6 * 4 +
                                         (256 + 2 * 4) + (256 + 2 * 12));
}

// 8 bytes for both ends of 3 nodes, and the entries and padding of two tensors.
TEST(NeighborSession, DegreesArePartOfTheSession) {
  GraphSpec spec;
  spec.num_nodes = 3;
  spec.edges = {{0, 1}, {1, 2}, {2, 0}};
  const auto make = [&](bool degrees, KindOptions kind) {
    const auto built = BuildGraph(spec);
    CommonLoaderOptions common;
    common.input_nodes = {0, 1, 2};
    common.batch_size = 3;
    common.collect_degrees = degrees;
    return MakeSession(SessionOptions(common, std::move(kind)),
                       std::make_shared<AcceptedGraph>(AcceptedGraph{
                           built->schema_json(), built->schema()}));
  };
  const NeighborOptions neighbors{.num_neighbors = {2}};
  const absl::Status none = make(true, neighbors).status();
  EXPECT_EQ(none.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(none.message()),
              AllOf(HasSubstr("collect_degrees"), HasSubstr("node,to,node"),
                    HasSubstr("partition --degrees")));
  spec.degrees = true;
  const auto without = make(false, neighbors);
  const auto with = make(true, neighbors);
  ASSERT_TRUE(with.ok()) << with.status();
  EXPECT_FALSE(SpecOf(*without).collect_degrees());
  EXPECT_TRUE(SpecOf(*with).collect_degrees());
  EXPECT_NE(with->identity, without->identity);
  EXPECT_EQ(with->max_batch_bytes,
            without->max_batch_bytes + 2 * 3 * 8 +
                2 * (4 + 24 + 2 * 12 + 2 + 16 + 8 + 128));
  const LayerwiseOptions layers{.nodes_per_layer = {2}};
  EXPECT_EQ(make(true, layers)->max_batch_bytes,
            make(false, layers)->max_batch_bytes + 2 * 3 * 8 +
                2 * (256 + 2 * 4 + 2 * 12));
  // Their batches have no edges.
  for (const KindOptions& kind : {KindOptions(WalkOptions{.walk_length = 2}),
                                  KindOptions(PprOptions{.top_k = 2})}) {
    EXPECT_THAT(std::string(make(true, kind).status().message()),
                HasSubstr("collect_degrees: true, but the session's batches "
                          "have no edges; allowed: false"));
  }
}

// 8 bytes less for each edge that there may be.
TEST(NeighborSession, OmittedEdgeIdsArePartOfTheSession) {
  GraphSpec spec;
  spec.num_nodes = 3;
  spec.edges = {{0, 1}, {1, 2}, {2, 0}};
  const auto built = BuildGraph(spec);
  const auto make = [&](bool omit, KindOptions kind) {
    CommonLoaderOptions common;
    common.input_nodes = {0, 1, 2};
    common.batch_size = 3;
    common.omit_edge_ids = omit;
    return MakeSession(SessionOptions(common, std::move(kind)),
                       std::make_shared<AcceptedGraph>(AcceptedGraph{
                           built->schema_json(), built->schema()}));
  };
  const auto with = make(false, NeighborOptions{.num_neighbors = {2}});
  const auto without = make(true, NeighborOptions{.num_neighbors = {2}});
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_FALSE(SpecOf(*with).omit_edge_ids());
  EXPECT_TRUE(SpecOf(*without).omit_edge_ids());
  EXPECT_NE(with->identity, without->identity);
  EXPECT_EQ(with->max_batch_bytes, without->max_batch_bytes + 3 * 8);
  const LayerwiseOptions layers{.nodes_per_layer = {2}};
  EXPECT_EQ(make(false, layers)->max_batch_bytes,
            make(true, layers)->max_batch_bytes + 3 * 8);
  for (const KindOptions& kind : {KindOptions(WalkOptions{.walk_length = 2}),
                                  KindOptions(PprOptions{.top_k = 2})}) {
    const absl::Status refused = make(true, kind).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(refused.message()),
                HasSubstr("omit_edge_ids is true, but the session's batches "
                          "have no edges; allowed: false"));
  }
}

// Each of the 2 inputs of a batch may find the whole graph.
TEST(NeighborSession, TreesMakeRoomForEach) {
  const uint64_t shared = Make({})->max_batch_bytes;
  const uint64_t apart = Make({.disjoint = true})->max_batch_bytes;
  EXPECT_GE(apart, shared + 3 * (8 + 16) + 3 * 16);
}

}  // namespace
}  // namespace tributary
