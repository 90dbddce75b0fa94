// What a user asks of links, as a session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "common/proto/session.pb.h"
#include "common/session/spec_builder.h"
#include "partition/format/testing/graph_builder.h"
#include "trainer_client/core/neighbor_session.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<const AcceptedGraph> Triangle() {
  const auto graph = BuildGraph({.num_nodes = 3,
                                 .edges = {{0, 1}, {1, 2}, {2, 0}},
                                 .edge_time = {1, 2, 3}});
  return std::make_shared<AcceptedGraph>(
      AcceptedGraph{graph->json(), graph->schema()});
}

NeighborLoaderOptions Options(const NegativeSampling& negatives = {}) {
  NeighborLoaderOptions options;
  options.num_neighbors = {2, 2};
  options.batch_size = 2;
  LinkRequest& link = options.link.emplace();
  link.links.source = {0, 1, 2};
  link.links.destination = {2, 1, 0};
  link.negatives = negatives;
  return options;
}

absl::StatusOr<LoaderSession> Make(const NeighborLoaderOptions& options) {
  const absl::Status status = CheckLoaderOptions(options);
  if (!status.ok()) return status;
  return MakeNeighborSession(options, Triangle(), {});
}

std::string Refusal(const NeighborLoaderOptions& options) {
  const absl::Status status = Make(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  return std::string(status.message());
}

std::vector<int64_t> Labels(const NeighborLoaderOptions& options) {
  const auto session = Make(options);
  EXPECT_TRUE(session.ok()) << session.status();
  const std::vector<uint8_t>& bytes = session->links->label;
  std::vector<int64_t> labels(bytes.size() / sizeof(int64_t));
  std::memcpy(labels.data(), bytes.data(), bytes.size());
  return labels;
}

TEST(LinkSession, SpecificationNamesTheLinks) {
  const auto session = Make(Options({NegativeMode::kBinary, 0.5}));
  ASSERT_TRUE(session.ok()) << session.status();
  v1::SessionSpec spec;
  ASSERT_TRUE(spec.ParseFromString(*session->spec));
  EXPECT_EQ(spec.inputs().edge_type(), "node,to,node");
  EXPECT_EQ(spec.inputs().node_type(), "");
  EXPECT_EQ(spec.inputs().count(), 3u);
  EXPECT_EQ(spec.link().negatives(), v1::NEGATIVE_MODE_BINARY);
  EXPECT_EQ(spec.link().amount(), 0.5);
  EXPECT_EQ(spec.link().neighbor().fanouts(0).per_hop(1), 2);
  EXPECT_EQ(session->order.num_inputs, 3u);
  EXPECT_EQ(session->input_ids, nullptr);
  EXPECT_THAT(session->links->source, ElementsAre(0, 1, 2));
}

// An amount without negatives is nobody's.
TEST(LinkSession, NoNegativesTakeNoByte) {
  const auto none = Make(Options({NegativeMode::kNone, 5}));
  EXPECT_EQ(*none->spec, *Make(Options())->spec);
}

// PyG's rule: 0 stands for negatives.
TEST(LinkSession, LabelsFromZeroMakeRoomForNegatives) {
  NeighborLoaderOptions options = Options();
  options.link->links.SetLabels(std::vector<int64_t>{0, 2, 1});
  EXPECT_THAT(Labels(options), ElementsAre(0, 2, 1));
  options.link->negatives.mode = NegativeMode::kBinary;
  EXPECT_THAT(Labels(options), ElementsAre(1, 3, 2));
  options.link->links.SetLabels(std::vector<int64_t>{1, 2, 1});
  EXPECT_THAT(Labels(options), ElementsAre(1, 2, 1));
  options.link->links.SetLabels(std::vector<int64_t>{-1, 0, 1});
  EXPECT_THAT(Labels(options), ElementsAre(-1, 0, 1));
}

TEST(LinkSession, NegativesMakeRoomForThemselves) {
  const uint64_t none = Make(Options())->max_batch_bytes;
  const uint64_t two =
      Make(Options({NegativeMode::kDestination, 2}))->max_batch_bytes;
  EXPECT_GE(two, none + 4 * (2 * 4 + 4));
}

TEST(LinkSession, WhatDoesNotFitIsRefused) {
  NeighborLoaderOptions options = Options();
  options.input_split = "train";
  EXPECT_THAT(Refusal(options), HasSubstr("input_nodes is given with links"));
  options = Options();
  options.link->links.destination.pop_back();
  EXPECT_THAT(Refusal(options), HasSubstr("3 sources and 2 destinations"));
  options = Options();
  options.link->links.SetLabels(std::vector<float>{1, 2});
  EXPECT_THAT(Refusal(options), HasSubstr("edge_label is 2 labels"));
  options = Options();
  options.link->links = {};
  EXPECT_THAT(Refusal(options), HasSubstr("edge_label_index is empty"));
  options = Options();
  options.link->links.source[1] = 3;
  EXPECT_THAT(Refusal(options), HasSubstr("source[1] is 3; allowed: 0 to 2"));
  options = Options();
  options.link->edge_type = "a,b,c";
  EXPECT_THAT(Refusal(options), HasSubstr("node,to,node"));
  options = Options();
  options.draws.time = TimeMode::kEdge;
  EXPECT_THAT(Refusal(options), HasSubstr("edge_label_time is empty"));
  EXPECT_THAT(Refusal(Options({NegativeMode::kTriplet, 1.5})),
              HasSubstr("whole number"));
  EXPECT_THAT(Refusal(Options({NegativeMode::kBinary, 0})),
              HasSubstr("above 0"));
  options = Options({NegativeMode::kTriplet, 1});
  options.link->links.SetLabels(std::vector<float>{1, 2, 3});
  EXPECT_THAT(Refusal(options), HasSubstr("triplets"));
}

TEST(LinkSession, ATimeForEachLinkOrOneForAll) {
  NeighborLoaderOptions options = Options();
  options.draws.time = TimeMode::kEdge;
  options.input_time = {7};
  const auto session = Make(options);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT(*session->input_times, ElementsAre(7, 7, 7));
}

}  // namespace
}  // namespace tributary
