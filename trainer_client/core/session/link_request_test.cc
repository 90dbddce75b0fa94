// Links of several edge types that a user asks for, as a session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <utility>
#include <variant>

#include "common/proto/session.pb.h"
#include "partition/format/testing/graph_builder.h"
#include "trainer_client/core/session/session_builder.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Nodes a 4, b 3; a,r,b and b,s,a.
std::shared_ptr<const AcceptedGraph> Typed() {
  GraphSchema schema = BuildGraph({.num_nodes = 4})->schema();
  schema.heterogeneous = true;
  schema.node_types.resize(2, schema.node_types[0]);
  schema.node_types[0].name = "a";
  schema.node_types[1].name = "b";
  schema.node_types[1].num_nodes = 3;
  schema.edge_types.resize(2, schema.edge_types[0]);
  for (const bool back : {false, true}) {
    EdgeTypeSchema& type = schema.edge_types[back ? 1 : 0];
    type.src = back ? "b" : "a";
    type.rel = back ? "s" : "r";
    type.dst = back ? "a" : "b";
    type.src_type = back ? 1 : 0;
    type.dst_type = back ? 0 : 1;
  }
  return std::make_shared<AcceptedGraph>(
      AcceptedGraph{schema.ToJson(), schema});
}

LinkOptions& Link(SessionOptions& options) {
  return std::get<LinkOptions>(options.kind);
}

// Not in canonical order.
SessionOptions OfTwoTypes(const NegativeSampling& negatives = {}) {
  SessionOptions options;
  options.batch_size = 2;
  LinkOptions& link = options.kind.emplace<LinkOptions>();
  link.neighbors.num_neighbors = {2, 2};
  link.negatives = negatives;
  link.lists.resize(2);
  link.lists[0].edge_type = "b,s,a";
  link.lists[0].source = {2, 1};
  link.lists[0].destination = {3, 0};
  link.lists[1].edge_type = "a,r,b";
  link.lists[1].source = {3, 0, 1};
  link.lists[1].destination = {0, 1, 2};
  return options;
}

absl::StatusOr<LoaderSession> MakeTyped(const SessionOptions& options) {
  const absl::Status status = CheckSessionOptions(options);
  if (!status.ok()) return status;
  return MakeSession(options, Typed());
}

std::string TypedRefusal(const SessionOptions& options) {
  const absl::Status status = MakeTyped(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  return std::string(status.message());
}

TEST(LinkRequest, ListsOfSeveralTypesAreOneInCanonicalOrder) {
  SessionOptions options = OfTwoTypes({NegativeMode::kBinary, 1});
  Link(options).lists[0].edge_label = {0, 4};
  Link(options).lists[1].edge_label = {1, 2, 3};
  const auto session = MakeTyped(options);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT(session->links->source, ElementsAre(3, 0, 1, 2, 1));
  EXPECT_THAT(session->links->destination, ElementsAre(0, 1, 2, 3, 0));
  // Each list makes room for zero by itself.
  std::vector<int64_t> labels(5);
  std::memcpy(labels.data(), session->links->label.data(), 40);
  EXPECT_THAT(labels, ElementsAre(1, 2, 3, 1, 5));
  EXPECT_EQ(session->order.num_inputs, 5u);
  std::vector<uint64_t> numbers = {4, 0, 3, 2};
  session->link_lists.Group(&numbers);
  EXPECT_THAT(numbers, ElementsAre(0, 2, 4, 3));
  v1::SessionSpec spec;
  ASSERT_TRUE(spec.ParseFromString(*session->spec));
  EXPECT_EQ(spec.inputs().edge_type(), "");
  EXPECT_EQ(spec.inputs().count(), 5u);
  ASSERT_EQ(spec.inputs().link_lists_size(), 2);
  EXPECT_EQ(spec.inputs().link_lists(0).edge_type(), "a,r,b");
  EXPECT_EQ(spec.inputs().link_lists(0).count(), 3u);
  EXPECT_EQ(spec.inputs().link_lists(1).count(), 2u);
  std::swap(Link(options).lists[0], Link(options).lists[1]);
  EXPECT_EQ(*MakeTyped(options)->spec, *session->spec);
}

TEST(LinkRequest, OneListIsASessionOfItsType) {
  SessionOptions options = OfTwoTypes();
  Link(options).lists.pop_back();
  const auto session = MakeTyped(options);
  ASSERT_TRUE(session.ok()) << session.status();
  v1::SessionSpec spec;
  ASSERT_TRUE(spec.ParseFromString(*session->spec));
  EXPECT_EQ(spec.inputs().edge_type(), "b,s,a");
  EXPECT_EQ(spec.inputs().link_lists_size(), 0);
}

TEST(LinkRequest, TimesAreOfEachListOrOneForAllOfIt) {
  SessionOptions options = OfTwoTypes();
  Link(options).neighbors.draws.time = TimeMode::kEdge;
  Link(options).lists[0].edge_label_time = {7, 8};
  EXPECT_THAT(TypedRefusal(options),
              HasSubstr("edge_label_time is not of b,s,a and a,r,b alike"));
  Link(options).lists[1].edge_label_time = {5, 6};
  EXPECT_THAT(TypedRefusal(options),
              HasSubstr("edge_label_time of a,r,b is 2 times; allowed: 3"));
}

// Splits of 3 and 2 links; the edge times of b,s,a are those of ids 0 to 4.
TEST(LinkRequest, LinksOfASplitHaveTheirEdgesTimes) {
  SessionOptions options = OfTwoTypes();
  Link(options).neighbors.draws.time = TimeMode::kEdge;
  using Times = std::vector<int64_t>;
  for (EdgeTypeLinks& list : Link(options).lists) {
    const bool back = list.edge_type == "b,s,a";
    list = {.edge_type = list.edge_type, .input_split = "train"};
    list.edge_time = std::make_shared<const Times>(
        back ? Times{10, 11, 12, 13, 14} : Times{20, 21});
  }
  ASSERT_TRUE(CheckSessionOptions(options).ok());
  GraphSchema schema = Typed()->schema;
  for (EdgeTypeSchema& type : schema.edge_types) type.timed = true;
  const auto graph =
      std::make_shared<AcceptedGraph>(AcceptedGraph{schema.ToJson(), schema});
  const auto make = [&](int64_t last_id) {
    return MakeSession(options, graph,
                       {{2, 3, 4, 1, 0, 0, 0, 0, 3}, {3, 0, 1, 0, 1, last_id}});
  };
  const auto session = make(0);
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_NE(session->input_times, nullptr);
  EXPECT_THAT(*session->input_times, ElementsAre(21, 20, 14, 10, 13));
  EXPECT_THAT(make(2).status().message(),
              HasSubstr("edge_time is 2 times, without that of link 1 of split "
                        "train, which has the edge id 2"));
  EXPECT_THAT(make(-1).status().message(), HasSubstr("which has no edge"));
  Link(options).lists[1].edge_time = nullptr;
  EXPECT_THAT(TypedRefusal(options),
              HasSubstr("edge_label_time is not of b,s,a and a,r,b alike"));
}

TEST(LinkRequest, EdgeTimesAreOfSplitsAlone) {
  SessionOptions options = OfTwoTypes();
  Link(options).neighbors.draws.time = TimeMode::kEdge;
  EdgeTypeLinks& list = Link(options).lists[0];
  list.edge_time = std::make_shared<const std::vector<int64_t>>(9, 1);
  EXPECT_THAT(TypedRefusal(options),
              HasSubstr("edge_time of b,s,a is given for a list of links"));
  list.edge_label_time = {1, 2};
  EXPECT_THAT(TypedRefusal(options),
              HasSubstr("edge_time of b,s,a is given beside edge_label_time"));
}

TEST(LinkRequest, WhatListsDoNotShareIsRefused) {
  const auto refusal = [](auto change) {
    SessionOptions options = OfTwoTypes({NegativeMode::kDestination, 1});
    change(Link(options).lists);
    return TypedRefusal(options);
  };
  using Lists = std::vector<EdgeTypeLinks>;
  EXPECT_THAT(refusal([](Lists& l) { l[1].edge_type = "b,s,a"; }),
              HasSubstr("edge_type is b,s,a twice; allowed: one list of each"));
  EXPECT_THAT(refusal([](Lists& l) { l[1].edge_type = ""; }),
              HasSubstr("edge_type is empty; allowed: the edge type of each"));
  EXPECT_THAT(refusal([](Lists& l) { l[1].edge_type = "a,q,b"; }),
              HasSubstr("'a,q,b' is not in graph"));
  EXPECT_THAT(refusal([](Lists& l) {
                l[0].edge_label = {1, 2};
              }),
              HasSubstr("edge_label is not of b,s,a and a,r,b alike"));
  EXPECT_THAT(refusal([](Lists& l) {
                l[0].edge_label = {1, 2};
                l[1].edge_label_float = {1, 2, 3};
              }),
              HasSubstr("of all edge types int64, or all float32"));
  EXPECT_THAT(refusal([](Lists& l) {
                l[0].neg_destination = {0, 1};
              }),
              HasSubstr("neg_destination is not of b,s,a and a,r,b alike"));
  EXPECT_THAT(refusal([](Lists& l) {
                l[0].neg_destination = {0, 1};
                l[1].neg_destination = {0, 1};
              }),
              HasSubstr("neg_destination of a,r,b is 2 ids; allowed: 3, 1"));
  EXPECT_THAT(refusal([](Lists& l) {
                l[0].neg_destination = {0, 3};
                l[1].neg_destination = {0, 1, 3};
              }),
              HasSubstr("neg_destination[2] of a,r,b is 3; allowed: 0 to 2"));
  EXPECT_THAT(refusal([](Lists& l) { l[0].source[1] = 3; }),
              HasSubstr("source[1] of b,s,a is 3; allowed: 0 to 2"));
  EXPECT_THAT(refusal([](Lists& l) { l[0].source = l[0].destination = {}; }),
              HasSubstr("edge_label_index of b,s,a is empty"));
  EXPECT_THAT(refusal([](Lists& l) { l[1].destination.pop_back(); }),
              HasSubstr("edge_label_index of a,r,b is 3 sources and 2"));
  EXPECT_THAT(refusal([](Lists& l) { l[1].edge_id = {1}; }),
              HasSubstr("edge_id of a,r,b is 1 ids; allowed: 3"));
  EXPECT_THAT(refusal([](Lists& l) { l.clear(); }),
              HasSubstr("edge_label_index is empty"));
}

TEST(LinkRequest, SelfWantsIdsOfEveryList) {
  SessionOptions options = OfTwoTypes();
  Link(options).exclude = ExcludeMode::kSelf;
  Link(options).lists[0].edge_id = {0, -1};
  EXPECT_THAT(TypedRefusal(options), HasSubstr("these links of a,r,b have no"));
  Link(options).lists[1].edge_id = {-1, 2, 0};
  const auto session = MakeTyped(options);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT(session->links->edge_id, ElementsAre(-1, 2, 0, 0, -1));
}

// Whichever type a batch's links are of.
TEST(LinkRequest, TheBoundIsOfTheTypeThatStartsMost) {
  const auto bound = [](const SessionOptions& options) {
    const auto session = MakeTyped(options);
    EXPECT_TRUE(session.ok()) << session.status();
    return session->max_batch_bytes;
  };
  SessionOptions options = OfTwoTypes({NegativeMode::kBinary, 2});
  const uint64_t both = bound(options);
  Link(options).lists.pop_back();
  EXPECT_GE(both, bound(options));
}

}  // namespace
}  // namespace tributary
