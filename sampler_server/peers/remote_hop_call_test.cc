// A hop in a partition of other servers: requests, replies, and how they join.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/peers/testing/remote_call_fixture.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class RemoteHopCallTest : public RemoteCallFixture<HopEdges> {
 protected:
  // Two nodes of partition 1, all neighbours.
  RemoteHopCallTest() {
    hop_.partition = 1;
    hop_.rule.fanout = -1;
    hop_.local_numbers = {5, 6};
    hop_.rows = {0, 1};
  }
  void Start() {
    partitions_.SampleHop(hop_, limits_, world_.strand(), Done());
  }
  absl::StatusOr<HopEdges> Run() {
    Start();
    return Await();
  }
  void ReplyHop(uint64_t nodes, uint64_t edges, bool last_is_partial,
                std::string payload) {
    v1::SampleHopReply header;
    header.set_nodes(nodes);
    header.set_edges(edges);
    header.set_last_is_partial(last_is_partial);
    Reply(MessageKind::kSampleHopReply, header, std::move(payload));
  }
  // Counts, neighbours and edge ids that agree.
  void ReplyHop(const std::vector<uint32_t>& counts,
                const std::vector<uint64_t>& neighbors,
                const std::vector<int64_t>& edge_ids,
                bool last_is_partial = false) {
    ReplyHop(counts.size(), neighbors.size(), last_is_partial,
             BytesOf(counts) + BytesOf(neighbors) + BytesOf(edge_ids));
  }
  v1::SampleHopRequest Request(size_t call) {
    EXPECT_EQ(calls().at(call).kind, MessageKind::kSampleHopRequest);
    return calls().at(call).Parse<v1::SampleHopRequest>();
  }

  RemoteHop hop_;
};

TEST_F(RemoteHopCallTest, APlainHop) {
  ReplyHop({1, 2}, {7, 8, 9}, {70, 80, 90});
  const auto edges = Run();
  ASSERT_TRUE(edges.ok()) << edges.status();
  EXPECT_THAT(edges->counts, ElementsAre(1, 2));
  EXPECT_THAT(edges->neighbors, ElementsAre(7, 8, 9));
  EXPECT_THAT(edges->edge_ids, ElementsAre(70, 80, 90));
  EXPECT_TRUE(edges->positions.empty());
  EXPECT_FALSE(edges->last_is_partial);
  ASSERT_THAT(calls(), SizeIs(1));
  const auto request = Request(0);
  const Sha256Digest& layout = world_.graph().schema().layout_digest;
  EXPECT_EQ(request.layout_digest(), std::string(layout.begin(), layout.end()));
  EXPECT_EQ(request.partition(), 1u);
  EXPECT_EQ(request.fanout(), -1);
  EXPECT_EQ(request.num_nodes(), 2u);
  EXPECT_EQ(request.skip_edges(), 0u);
  // 4096 / 16 edges and two counts.
  EXPECT_EQ(request.max_reply_bytes(), 256 * 16 + 2 * 4u);
  EXPECT_EQ(request.timeout_ms(), 5000u);
  EXPECT_FALSE(request.disjoint());
  EXPECT_EQ(calls()[0].payload,
            BytesOf<uint32_t>({5, 6}) + BytesOf<uint64_t>({0, 1}));
}

// From a server that cannot omit them.
TEST_F(RemoteHopCallTest, EdgeIdsThatAreNotWantedAreNotHeld) {
  hop_.rule.want_edge_ids = false;
  hop_.rule.want_positions = true;
  limits_.max_reply_bytes = 6 * 16;
  ReplyHop(2, 3, false,
           BytesOf<uint32_t>({1, 2}) + BytesOf<uint64_t>({7, 8, 9}) +
               BytesOf<int64_t>({70, 80, 90}) + BytesOf<uint64_t>({4, 5, 6}));
  const auto edges = Run();
  ASSERT_TRUE(edges.ok()) << edges.status();
  EXPECT_THAT(edges->neighbors, ElementsAre(7, 8, 9));
  EXPECT_EQ(edges->edge_ids.capacity(), 0);
  EXPECT_THAT(edges->positions, ElementsAre(4, 5, 6));
  EXPECT_TRUE(Request(0).omit_edge_ids());
  EXPECT_EQ(Request(0).max_reply_bytes(), 6 * 16 + 2 * 4u);
}

// The reply to such a request would be an error where a server cannot omit ids:
// an edge takes 28 bytes there.
TEST_F(RemoteHopCallTest, AsksForAtLeastAnEdgeOfAnyServer) {
  hop_.rule.want_edge_ids = false;
  hop_.rule.want_positions = true;
  hop_.local_numbers = {5};
  hop_.rows = {0};
  limits_.max_reply_bytes = 16;
  ReplyHop(1, 1, false,
           BytesOf<uint32_t>({1}) + BytesOf<uint64_t>({7}) +
               BytesOf<int64_t>({70}) + BytesOf<uint64_t>({4}));
  EXPECT_THAT(Run()->neighbors, ElementsAre(7));
  EXPECT_EQ(Request(0).max_reply_bytes(), 4 + 3 * 8u);
}

// Each array by itself: what is narrow, and what comes.
TEST_F(RemoteHopCallTest, NarrowNumbersBecomeWide) {
  constexpr uint64_t kWide = uint64_t{1} << 40;
  hop_.rule.want_positions = true;
  for (int narrow = 0; narrow < 8; ++narrow) {
    SCOPED_TRACE(narrow);
    v1::SampleHopReply header;
    header.set_nodes(2);
    header.set_edges(3);
    header.set_narrow_neighbors((narrow & 1) != 0);
    header.set_narrow_edge_ids((narrow & 2) != 0);
    header.set_narrow_positions((narrow & 4) != 0);
    const uint64_t second = (narrow & 2) != 0 ? UINT32_MAX : kWide;
    const auto array = [&](int bit, uint64_t a, uint64_t b, uint64_t c) {
      return (narrow & bit) == 0
                 ? BytesOf<uint64_t>({a, b, c})
                 : BytesOf<uint32_t>({static_cast<uint32_t>(a),
                                      static_cast<uint32_t>(b),
                                      static_cast<uint32_t>(c)});
    };
    Reply(MessageKind::kSampleHopReply, header,
          BytesOf<uint32_t>({1, 2}) + array(1, 7, 8, 9) +
              array(2, 70, second, 90) + array(4, 4, 5, 6));
    const auto edges = Run();
    ASSERT_TRUE(edges.ok()) << edges.status();
    EXPECT_THAT(edges->counts, ElementsAre(1, 2));
    EXPECT_THAT(edges->neighbors, ElementsAre(7, 8, 9));
    EXPECT_THAT(edges->edge_ids,
                ElementsAre(70, static_cast<int64_t>(second), 90));
    EXPECT_THAT(edges->positions, ElementsAre(4, 5, 6));
    EXPECT_TRUE(Request(calls().size() - 1).takes_narrow());
    EXPECT_FALSE(Request(calls().size() - 1).omit_edge_ids());
  }
}

TEST_F(RemoteHopCallTest, OmittedEdgeIdsTakeNoBytes) {
  hop_.rule.want_edge_ids = false;
  v1::SampleHopReply header;
  header.set_nodes(2);
  header.set_edges(3);
  header.set_edge_ids_omitted(true);
  header.set_narrow_neighbors(true);
  Reply(MessageKind::kSampleHopReply, header,
        BytesOf<uint32_t>({1, 2}) + BytesOf<uint32_t>({7, 8, 9}));
  const auto edges = Run();
  ASSERT_TRUE(edges.ok()) << edges.status();
  EXPECT_THAT(edges->neighbors, ElementsAre(7, 8, 9));
  EXPECT_THAT(edges->edge_ids, SizeIs(0));
}

// Refuses parts that were not asked for, numbers of arrays that are not there,
// sizes of wide numbers, and more edges than there is memory for once they are
// wide.
TEST_F(RemoteHopCallTest, RepliesThatUseWhatWasNotAskedForAreRefused) {
  const std::string counts = BytesOf<uint32_t>({1, 0});
  const std::string four = BytesOf<uint32_t>({7});
  const std::string eight = BytesOf<uint64_t>({7});
  struct {
    bool wants_ids, omitted, neighbors, edge_ids, positions;
    std::string payload, error;
  } const cases[] = {
      {true, true, true, false, false, counts + four,
       "reply without the edge ids asked for"},
      {false, true, true, true, false, counts + four + four,
       "reply with narrow numbers that it lacks"},
      {true, false, true, true, true, counts + four + four,
       "reply with narrow numbers that it lacks"},
      {true, false, true, true, false, counts + eight + eight,
       "reply of 2 nodes and 1 edges in 24 bytes"},
      {true, false, false, false, false, counts + four + four,
       "reply of 2 nodes and 1 edges in 16 bytes"},
      {true, false, true, false, false, counts + eight + four.substr(1),
       "reply of 2 nodes and 1 edges in 19 bytes"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.error);
    hop_.rule.want_edge_ids = c.wants_ids;
    limits_.deadline = world_.now() + absl::Seconds(1);
    v1::SampleHopReply header;
    header.set_nodes(2);
    header.set_edges(1);
    header.set_edge_ids_omitted(c.omitted);
    header.set_narrow_neighbors(c.neighbors);
    header.set_narrow_edge_ids(c.edge_ids);
    header.set_narrow_positions(c.positions);
    Reply(MessageKind::kSampleHopReply, header, c.payload);
    then_ = [again = replies_.back()](const ArrivedCall&) { return again; };
    const auto failed = Run();
    EXPECT_EQ(failed.status().code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(failed.status().message()),
                HasSubstr("DATA_LOSS: " + c.error));
  }
}

// Two edges were asked for; four fit the bytes once they are narrow.
TEST_F(RemoteHopCallTest, NarrowRepliesHaveNoMoreEdges) {
  limits_.max_reply_bytes = 32;
  limits_.deadline = world_.now() + absl::Seconds(1);
  v1::SampleHopReply header;
  header.set_nodes(2);
  header.set_edges(4);
  header.set_narrow_neighbors(true);
  header.set_narrow_edge_ids(true);
  Reply(MessageKind::kSampleHopReply, header,
        BytesOf<uint32_t>({2, 2}) + BytesOf<uint32_t>({1, 2, 3, 4}) +
            BytesOf<uint32_t>({5, 6, 7, 8}));
  then_ = [again = replies_.back()](const ArrivedCall&) { return again; };
  const auto failed = Run();
  EXPECT_THAT(std::string(failed.status().message()),
              HasSubstr("reply of 2 nodes and 4 edges in 40 bytes"));
}

TEST_F(RemoteHopCallTest, EveryFieldAndArrayTravels) {
  hop_.edge_type = 0;
  DrawRule& rule = hop_.rule;
  rule.key = {7, 8};
  rule.fanout = 3;
  rule.replace = true;
  rule.draw = DrawMode::kWeighted;
  rule.time = TimeMode::kNode;
  rule.strict = true;
  rule.latest = true;
  rule.want_positions = true;
  EdgePredicate predicate;
  predicate.conditions.emplace_back();
  predicate.conditions.back().column = EdgeColumn::kAttr;
  predicate.conditions.back().comparison = Comparison::kGreater;
  predicate.conditions.back().whole = 4;
  rule.predicate = std::make_shared<const EdgePredicate>(predicate);
  hop_.trees = {1, 2};
  hop_.time_bound = {100, -200};
  hop_.excluded.by_id = {{0, 30}, {1, 31}, {1, 32}};
  hop_.excluded.by_source = {{1, 9}};
  limits_.max_reply_bytes = 240;
  ReplyHop(2, 3, false,
           BytesOf<uint32_t>({2, 1}) + BytesOf<uint64_t>({1, 3, 2}) +
               BytesOf<int64_t>({10, 11, 12}) + BytesOf<uint64_t>({4, 5, 6}));
  const auto edges = Run();
  ASSERT_TRUE(edges.ok()) << edges.status();
  EXPECT_THAT(edges->counts, ElementsAre(2, 1));
  EXPECT_THAT(edges->neighbors, ElementsAre(1, 3, 2));
  EXPECT_THAT(edges->edge_ids, ElementsAre(10, 11, 12));
  EXPECT_THAT(edges->positions, ElementsAre(4, 5, 6));

  const auto request = Request(0);
  EXPECT_EQ(request.key0(), 7u);
  EXPECT_EQ(request.key1(), 8u);
  EXPECT_EQ(request.fanout(), 3);
  EXPECT_TRUE(request.replace());
  EXPECT_TRUE(request.want_positions());
  EXPECT_EQ(request.draw(), v1::DRAW_WEIGHTED);
  EXPECT_EQ(request.time(), v1::TIME_COLUMN_NODE);
  EXPECT_TRUE(request.strict());
  EXPECT_TRUE(request.latest());
  EXPECT_TRUE(request.disjoint());
  ASSERT_EQ(request.conditions_size(), 1);
  EXPECT_EQ(request.conditions(0).comparison(), v1::COMPARISON_GREATER);
  EXPECT_EQ(request.conditions(0).whole(), 4);
  EXPECT_EQ(request.num_excluded_edges(), 3u);
  EXPECT_EQ(request.num_excluded_sources(), 1u);
  // 240 / 24 edges and two counts.
  EXPECT_EQ(request.max_reply_bytes(), 10 * 24 + 2 * 4u);
  EXPECT_EQ(calls()[0].payload,
            BytesOf<uint32_t>({5, 6}) + BytesOf<uint32_t>({1, 2}) +
                BytesOf<uint64_t>({0, 1}) + BytesOf<int64_t>({100, -200}) +
                BytesOf<uint64_t>({0, 1, 1}) + BytesOf<int64_t>({30, 31, 32}) +
                BytesOf<uint64_t>({1}) + BytesOf<uint64_t>({9}));
}

TEST_F(RemoteHopCallTest, ACutReplyIsContinuedWithinItsLastNode) {
  hop_.local_numbers = {5, 6, 7};
  hop_.rows = {3, 4, 5};
  ReplyHop({1, 2}, {10, 11, 12}, {0, 1, 2}, /*last_is_partial=*/true);
  ReplyHop({1}, {13}, {3}, /*last_is_partial=*/true);
  ReplyHop({1, 1}, {14, 15}, {4, 5});
  const auto edges = Run();
  ASSERT_TRUE(edges.ok()) << edges.status();
  EXPECT_THAT(edges->counts, ElementsAre(1, 4, 1));
  EXPECT_THAT(edges->neighbors, ElementsAre(10, 11, 12, 13, 14, 15));
  EXPECT_THAT(edges->edge_ids, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_FALSE(edges->last_is_partial);
  ASSERT_THAT(calls(), SizeIs(3));
  EXPECT_EQ(Request(1).num_nodes(), 2u);
  EXPECT_EQ(Request(1).skip_edges(), 2u);
  EXPECT_EQ(calls()[1].payload,
            BytesOf<uint32_t>({6, 7}) + BytesOf<uint64_t>({4, 5}));
  EXPECT_EQ(Request(2).skip_edges(), 3u);
  EXPECT_EQ(Request(2).max_reply_bytes(), (256 - 4) * 16 + 2 * 4u);
}

TEST_F(RemoteHopCallTest, AReplyOfFewerNodesIsContinuedWithTheNext) {
  ReplyHop({0}, {}, {});
  ReplyHop({1}, {10}, {20});
  const auto edges = Run();
  ASSERT_TRUE(edges.ok()) << edges.status();
  EXPECT_THAT(edges->counts, ElementsAre(0, 1));
  EXPECT_THAT(edges->neighbors, ElementsAre(10));
  EXPECT_EQ(Request(1).skip_edges(), 0u);
  EXPECT_EQ(calls()[1].payload,
            BytesOf<uint32_t>({6}) + BytesOf<uint64_t>({1}));
}

// 3 edges of 16 bytes.
TEST_F(RemoteHopCallTest, EndsWhereItsLimitDoes) {
  limits_.max_reply_bytes = 48;
  ReplyHop({1, 2}, {10, 11, 12}, {0, 1, 2}, /*last_is_partial=*/true);
  const auto edges = Run();
  ASSERT_TRUE(edges.ok()) << edges.status();
  EXPECT_THAT(edges->counts, ElementsAre(1, 2));
  EXPECT_TRUE(edges->last_is_partial);
  EXPECT_THAT(calls(), SizeIs(1));
}

// A node's reply has 4 + 16 * 100,000 bytes: two of them fit 4 MiB.
TEST_F(RemoteHopCallTest, AsksForNoMoreNodesThanTheirReplyFits) {
  hop_.rule.fanout = 100'000;
  hop_.local_numbers = {5, 6, 7};
  hop_.rows = {0, 1, 2};
  limits_.max_reply_bytes = uint64_t{1} << 40;
  ReplyHop({0, 0}, {}, {});
  ReplyHop({0}, {}, {});
  const auto edges = Run();
  ASSERT_TRUE(edges.ok()) << edges.status();
  EXPECT_THAT(edges->counts, ElementsAre(0, 0, 0));
  ASSERT_THAT(calls(), SizeIs(2));
  EXPECT_EQ(Request(0).num_nodes(), 2u);
  EXPECT_EQ(Request(0).max_reply_bytes(), 4u << 20);
}

// 1 MiB of excluded edges for each node; 2 MiB fit a request.
TEST_F(RemoteHopCallTest, AsksForNoMoreNodesThanTheirExcludedEdgesFit) {
  hop_.local_numbers = {5, 6, 7};
  hop_.rows = {0, 1, 2};
  for (uint64_t row = 0; row < 3; ++row) {
    for (int64_t id = 0; id < 65'536; ++id) {
      hop_.excluded.by_id.push_back({row, id});
    }
  }
  ReplyHop({0}, {}, {});
  ReplyHop({0, 0}, {}, {});
  const auto edges = Run();
  ASSERT_TRUE(edges.ok()) << edges.status();
  EXPECT_THAT(edges->counts, ElementsAre(0, 0, 0));
  ASSERT_THAT(calls(), SizeIs(2));
  EXPECT_EQ(Request(0).num_nodes(), 1u);
  EXPECT_EQ(Request(0).num_excluded_edges(), 65'536u);
  EXPECT_EQ(Request(1).num_nodes(), 2u);
  EXPECT_EQ(Request(1).num_excluded_edges(), 131'072u);
}

struct MalformedReply {
  uint64_t nodes;
  uint64_t edges;
  bool last_is_partial;
  std::string payload;
  std::string error;
};

// Another owner is asked, and nothing of the malformed reply is in the edges;
// where all owners reply so, the error says what was wrong.
TEST_F(RemoteHopCallTest, MalformedRepliesAreRefused) {
  const std::string edge = BytesOf<uint64_t>({99}) + BytesOf<int64_t>({99});
  const std::vector<MalformedReply> malformed = {
      {3, 0, false, BytesOf<uint32_t>({0, 0, 0}),
       "reply of 3 nodes and 0 edges in 12 bytes to a request for 2 nodes"},
      {0, 0, false, "", "reply of 0 nodes and 0 edges in 0 bytes"},
      {1, 0, true, BytesOf<uint32_t>({0}), "reply of 1 nodes and 0 edges"},
      {2, 1, false, BytesOf<uint32_t>({0, 1}) + edge.substr(1),
       "reply of 2 nodes and 1 edges in 23 bytes"},
      {2, 1, false, BytesOf<uint32_t>({0, 1}) + edge + "x",
       "reply of 2 nodes and 1 edges in 25 bytes"},
      {0, 1, false, edge, "reply whose counts add up to 0, not 1 edges"},
      {2, 1, false, BytesOf<uint32_t>({1, 1}) + edge,
       "reply whose counts add up to 2, not 1 edges"},
      {2, uint64_t{1} << 60, false, BytesOf<uint32_t>({0, 0}),
       "reply of 2 nodes and 1152921504606846976 edges in 8 bytes"},
  };
  for (const MalformedReply& reply : malformed) {
    SCOPED_TRACE(reply.error);
    limits_.deadline = world_.now() + absl::Seconds(60);
    ReplyHop(reply.nodes, reply.edges, reply.last_is_partial, reply.payload);
    ReplyHop({1, 0}, {7}, {70});
    const size_t before = calls().size();
    const auto edges = Run();
    ASSERT_TRUE(edges.ok()) << edges.status();
    EXPECT_THAT(edges->counts, ElementsAre(1, 0));
    EXPECT_THAT(edges->neighbors, ElementsAre(7));
    EXPECT_EQ(calls().size(), before + 2);

    limits_.deadline = world_.now() + absl::Seconds(1);
    ReplyHop(reply.nodes, reply.edges, reply.last_is_partial, reply.payload);
    then_ = [again = replies_.back()](const ArrivedCall&) { return again; };
    const auto failed = Run();
    EXPECT_EQ(failed.status().code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(failed.status().message()),
                HasSubstr("DATA_LOSS: " + reply.error));
  }
}

// Sizes that add up do not make values possible.
TEST_F(RemoteHopCallTest, ImpossibleValuesAreRefused) {
  hop_.rule.fanout = 2;
  hop_.rule.want_positions = true;
  const auto reply = [this](uint32_t count, uint64_t neighbor,
                            uint64_t position) {
    ReplyHop(1, count, false,
             BytesOf<uint32_t>({count}) +
                 BytesOf(std::vector<uint64_t>(count, neighbor)) +
                 BytesOf(std::vector<int64_t>(count, 5)) +
                 BytesOf(std::vector<uint64_t>(count, position)));
  };
  hop_.local_numbers = {5};
  hop_.rows = {0};
  reply(3, 7, 0);
  reply(2, 2048, 0);
  reply(2, 7, 1024);
  reply(2, 2047, 1023);
  const auto edges = Run();
  ASSERT_TRUE(edges.ok()) << edges.status();
  EXPECT_THAT(edges->neighbors, ElementsAre(2047, 2047));
  EXPECT_THAT(edges->positions, ElementsAre(1023, 1023));
  EXPECT_EQ(calls().size(), 4);
}

TEST_F(RemoteHopCallTest, AnErrorThatNoOwnerWouldCureEndsIt) {
  ReplyHop({0}, {}, {});
  replies_.push_back(absl::OutOfRangeError("row 1 of a partition with 1"));
  replies_.push_back(absl::OutOfRangeError("row 1 of a partition with 1"));
  const auto edges = Run();
  EXPECT_EQ(edges.status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(edges.status().message()),
              HasSubstr("row 1 of a partition with 1"));
}

TEST_F(RemoteHopCallTest, ACancelReachesThePeer) {
  Start();
  ExpectCancelReachesThePeer();
}

TEST_F(RemoteHopCallTest, ACancelReachesThePeerThatContinuesAHop) {
  ReplyHop({1}, {7}, {70}, /*last_is_partial=*/true);
  Start();
  ExpectCancelReachesThePeer(/*answered=*/1);
}

}  // namespace
}  // namespace tributary
