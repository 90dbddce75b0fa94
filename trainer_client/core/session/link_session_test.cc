// What a user asks of links, as a session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <variant>

#include "common/proto/session.pb.h"
#include "common/session/spec_builder.h"
#include "partition/format/testing/graph_builder.h"
#include "trainer_client/core/session/session_builder.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<const AcceptedGraph> Triangle(bool degrees = false) {
  const auto graph = BuildGraph({.num_nodes = 3,
                                 .edges = {{0, 1}, {1, 2}, {2, 0}},
                                 .edge_time = {1, 2, 3},
                                 .degrees = degrees});
  return std::make_shared<AcceptedGraph>(
      AcceptedGraph{graph->schema_json(), graph->schema()});
}

LinkOptions& Link(SessionOptions& options) {
  return std::get<LinkOptions>(options.kind);
}

SessionOptions Options(const NegativeSampling& negatives = {}) {
  SessionOptions options;
  options.batch_size = 2;
  LinkOptions& link = options.kind.emplace<LinkOptions>();
  link.neighbors.num_neighbors = {2, 2};
  EdgeTypeLinks& list = link.lists.emplace_back();
  list.source = {0, 1, 2};
  list.destination = {2, 1, 0};
  link.negatives = negatives;
  return options;
}

absl::StatusOr<LoaderSession> Make(const SessionOptions& options) {
  const absl::Status status = CheckSessionOptions(options);
  if (!status.ok()) return status;
  return MakeSession(options, Triangle());
}

std::string Refusal(const SessionOptions& options) {
  const absl::Status status = Make(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  return std::string(status.message());
}

std::vector<int64_t> Labels(const SessionOptions& options) {
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
  SessionOptions options = Options();
  Link(options).lists[0].edge_label = {0, 2, 1};
  EXPECT_THAT(Labels(options), ElementsAre(0, 2, 1));
  Link(options).negatives.mode = NegativeMode::kBinary;
  EXPECT_THAT(Labels(options), ElementsAre(1, 3, 2));
  Link(options).lists[0].edge_label = {1, 2, 1};
  EXPECT_THAT(Labels(options), ElementsAre(1, 2, 1));
  Link(options).lists[0].edge_label = {-1, 0, 1};
  EXPECT_THAT(Labels(options), ElementsAre(-1, 0, 1));
}

TEST(LinkSession, NegativesMakeRoomForThemselves) {
  const uint64_t none = Make(Options())->max_batch_bytes;
  const uint64_t two =
      Make(Options({NegativeMode::kDestination, 2}))->max_batch_bytes;
  EXPECT_GE(two, none + 4 * (2 * 4 + 4));
}

TEST(LinkSession, WhatDoesNotFitIsRefused) {
  SessionOptions options = Options();
  options.input_split = "train";
  EXPECT_THAT(Refusal(options), HasSubstr("input_nodes is given with links"));
  options = Options();
  Link(options).lists[0].destination.pop_back();
  EXPECT_THAT(Refusal(options), HasSubstr("3 sources and 2 destinations"));
  options = Options();
  Link(options).lists[0].edge_label_float = {1, 2};
  EXPECT_THAT(Refusal(options), HasSubstr("edge_label is 2 labels"));
  options = Options();
  Link(options).lists[0] = {};
  EXPECT_THAT(Refusal(options), HasSubstr("edge_label_index is empty"));
  options = Options();
  Link(options).lists[0].source[1] = 3;
  EXPECT_THAT(Refusal(options), HasSubstr("source[1] is 3; allowed: 0 to 2"));
  options = Options();
  Link(options).lists[0].edge_type = "a,b,c";
  EXPECT_THAT(Refusal(options), HasSubstr("node,to,node"));
  options = Options();
  Link(options).neighbors.draws.time = TimeMode::kEdge;
  EXPECT_THAT(Refusal(options), HasSubstr("edge_label_time is empty"));
  EXPECT_THAT(Refusal(Options({NegativeMode::kTriplet, 1.5})),
              HasSubstr("whole number"));
  EXPECT_THAT(Refusal(Options({NegativeMode::kBinary, 0})),
              HasSubstr("above 0"));
  options = Options({NegativeMode::kTriplet, 1});
  Link(options).lists[0].edge_label_float = {1, 2, 3};
  EXPECT_THAT(Refusal(options), HasSubstr("triplets"));
}

TEST(LinkSession, OnesOwnNegativesTravelWithTheLinks) {
  SessionOptions options = Options({NegativeMode::kTriplet, 2});
  const auto drawn = Make(options);
  Link(options).lists[0].neg_destination = {0, 1, 2, 2, 1, 0};
  const auto session = Make(options);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ(session->links->negatives, 2u);
  EXPECT_THAT(session->links->negative, ElementsAre(0, 1, 2, 2, 1, 0));
  v1::SessionSpec spec;
  ASSERT_TRUE(spec.ParseFromString(*session->spec));
  EXPECT_EQ(spec.inputs().negatives(), 2u);
  EXPECT_EQ(spec.link().amount(), 2);
  EXPECT_EQ(session->max_batch_bytes, drawn->max_batch_bytes);
  EXPECT_NE(session->inputs, drawn->inputs);
}

TEST(LinkSession, NegativesThatDoNotFitAreRefused) {
  const auto refusal = [](NegativeSampling how, std::vector<int64_t> ids,
                          uint64_t batch_size = 2) {
    SessionOptions options = Options(how);
    options.batch_size = batch_size;
    Link(options).lists[0].neg_destination = std::move(ids);
    return Refusal(options);
  };
  const NegativeSampling two{NegativeMode::kDestination, 2};
  EXPECT_THAT(refusal(two, {0, 1, 2, 0, 1}),
              HasSubstr("neg_destination is 5 ids; allowed: 6, 2"));
  EXPECT_THAT(refusal(two, {0, 1, 2, 0}), HasSubstr("for each of 3 links"));
  EXPECT_THAT(refusal(two, {0, 1, 2, 0, 1, 3}),
              HasSubstr("neg_destination[2][1] is 3; allowed: 0 to 2"));
  EXPECT_THAT(refusal(two, {0, 1, -1, 0, 1, 1}),
              HasSubstr("neg_destination[1][0] is -1"));
  EXPECT_THAT(refusal({NegativeMode::kNone}, {0, 1, 2}),
              HasSubstr("given with mode none; allowed: with mode triplet"));
  EXPECT_THAT(refusal({NegativeMode::kBinary, 1}, {0, 1, 2}),
              HasSubstr("given with mode binary"));
  EXPECT_THAT(refusal({NegativeMode::kTriplet, 1, true}, {0, 1, 2}),
              HasSubstr("strict: given with neg_destination"));
  EXPECT_THAT(refusal({NegativeMode::kTriplet, 1, false, OnExhausted::kAccept},
                      {0, 1, 2}),
              HasSubstr("on_exhausted"));
  // 65,536 x (2 + 6) are 524,288 numbers of 8 bytes: 4 MiB.
  SessionOptions largest = Options(two);
  largest.batch_size = 65'536;
  Link(largest).lists[0].neg_destination = {0, 1, 2, 2, 1, 0};
  EXPECT_TRUE(Make(largest).ok()) << Make(largest).status();
  EXPECT_THAT(refusal({NegativeMode::kDestination, 3},
                      {0, 1, 2, 0, 1, 2, 0, 1, 2}, 65'536),
              HasSubstr("batch_size x (3 + 6) up to 524288"));
}

TEST(LinkSession, AcceptIsForNegativesThatAreSearchedFor) {
  SessionOptions options = Options({NegativeMode::kTriplet, 1});
  Link(options).negatives.on_exhausted = OnExhausted::kAccept;
  EXPECT_THAT(Refusal(options), HasSubstr("accept without strict"));
  Link(options).neighbors.draws.time = TimeMode::kEdge;
  Link(options).lists[0].edge_label_time = {7};
  EXPECT_THAT(Refusal(options), HasSubstr("accept without strict"));
  Link(options).neighbors.draws.time = TimeMode::kNode;
  EXPECT_TRUE(CheckSessionOptions(options).ok());
  Link(options).lists[0].neg_destination = {0, 1, 2};
  EXPECT_THAT(Refusal(options), HasSubstr("accept with neg_destination"));
}

TEST(LinkSession, PowersOfDegreesAreSteps) {
  SessionOptions options = Options({NegativeMode::kTriplet, 1});
  const auto power = [&](double alpha) {
    Link(options).negatives.degree_power = alpha;
    const auto session = MakeSession(options, Triangle(true));
    EXPECT_TRUE(session.ok()) << session.status();
    v1::SessionSpec spec;
    EXPECT_TRUE(spec.ParseFromString(*session->spec));
    return spec.link().degree_power();
  };
  EXPECT_EQ(power(0.75), 49152u);
  EXPECT_EQ(power(1), 65536u);
  EXPECT_EQ(power(0), 0u);
  for (const double wrong : {-0.5, 1.01, 1e-6, std::nan(""), HUGE_VAL}) {
    Link(options).negatives.degree_power = wrong;
    EXPECT_THAT(Refusal(options), HasSubstr("above 0, up to 1")) << wrong;
  }
  Link(options).negatives.degree_power = 0.75;
  EXPECT_THAT(Refusal(options),
              HasSubstr("stores no degrees of node,to,node; allowed: 0, or a "
                        "graph partitioned with --degrees"));
  Link(options).lists[0].neg_destination = {0, 1, 2};
  EXPECT_THAT(Refusal(options),
              HasSubstr("degree_power: given with neg_destination"));
  Link(options).lists[0].neg_destination.clear();
  Link(options).negatives.mode = NegativeMode::kNone;
  EXPECT_THAT(Refusal(options), HasSubstr("degree_power: without negatives"));
}

TEST(LinkSession, ATimeForEachLinkOrOneForAll) {
  SessionOptions options = Options();
  Link(options).neighbors.draws.time = TimeMode::kEdge;
  Link(options).lists[0].edge_label_time = {7};
  const auto session = Make(options);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT(*session->input_times, ElementsAre(7, 7, 7));
}

}  // namespace
}  // namespace tributary
