// Leaf calls: replies to valid requests, and how others are refused.
#include "sampler_server/service/leaf/leaf_calls.h"

#include <cstring>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/engine/hop/hop.h"
#include "sampler_server/engine/testing/small_typed.h"

namespace tributary {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// 0 and 2 in partition 0, 1 and 3 in partition 1; node 2 has four in-edges.
GraphSpec Spec() {
  GraphSpec spec;
  spec.num_nodes = 4;
  spec.edges = {{3, 2}, {1, 2}, {0, 2}, {2, 2}, {1, 0}};
  spec.num_partitions = 2;
  spec.x_dim = 2;
  spec.x = {0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5};
  spec.y = {10, 11, 12, 13};
  return spec;
}

const Graph& HalfGraph() {
  static const auto* const graph =
      new std::shared_ptr<const Graph>(BuildGraph(Spec(), {{0}}));
  return **graph;
}

template <typename T>
std::vector<T> Take(absl::Span<const uint8_t> bytes, size_t offset, size_t n) {
  std::vector<T> values(n);
  std::memcpy(values.data(), bytes.data() + offset, n * sizeof(T));
  return values;
}

class LeafCallsTest : public testing::Test {
 protected:
  LeafCallsTest() {
    hop_.set_fanout(-1);
    hop_.set_num_nodes(2);
    hop_.set_max_reply_bytes(4096);
    gather_.set_node_type(0);
    gather_.add_columns(v1::COLUMN_ORIG_ID);
    gather_.set_num_rows(2);
    gather_.set_max_reply_bytes(4096);
  }

  absl::StatusOr<LeafReply> Hop(const std::vector<uint64_t>& rows = {0, 1}) {
    std::string payload;
    for (uint32_t i = 0; i < rows.size(); ++i) {
      payload.append(reinterpret_cast<const char*>(&i), sizeof(i));
    }
    Append(rows, &payload);
    return ServeSampleHop(HalfGraph(), hop_, Bytes(payload), limits_, *share_);
  }
  absl::StatusOr<LeafReply> Gather(const std::vector<uint64_t>& rows = {1, 0}) {
    std::string payload;
    Append(rows, &payload);
    return ServeGather(HalfGraph(), gather_, Bytes(payload), {}, *share_);
  }
  void ExpectHopError(absl::StatusCode code, const std::string& text) {
    const auto reply = Hop();
    EXPECT_EQ(reply.status().code(), code);
    EXPECT_THAT(std::string(reply.status().message()), HasSubstr(text));
  }
  void ExpectGatherError(absl::StatusCode code, const std::string& text) {
    const auto reply = Gather();
    EXPECT_EQ(reply.status().code(), code);
    EXPECT_THAT(std::string(reply.status().message()), HasSubstr(text));
  }

  static void Append(const std::vector<uint64_t>& rows, std::string* payload) {
    payload->append(reinterpret_cast<const char*>(rows.data()),
                    rows.size() * sizeof(uint64_t));
  }
  template <typename T>
  static std::string AsBytes(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()),
            values.size() * sizeof(T)};
  }
  static absl::Span<const uint8_t> Bytes(const std::string& payload) {
    return {reinterpret_cast<const uint8_t*>(payload.data()), payload.size()};
  }

  v1::SampleHopRequest hop_;
  v1::GatherRequest gather_;
  LeafLimits limits_;
  const std::shared_ptr<SharedBudget> budget_ =
      SharedBudget::Create("leaf budget", 8192);
  const std::shared_ptr<BudgetShare> share_ = budget_->Open("peer");
};

// A caller that no longer waits ends the work, and gives its memory back.
TEST_F(LeafCallsTest, EndsWithItsCaller) {
  const CancelToken cancel;
  StopCheck stop(cancel, absl::InfiniteFuture(), nullptr);
  limits_.stop = &stop;
  EXPECT_TRUE(Hop().ok());
  cancel.Cancel();
  EXPECT_TRUE(stop.After(StopCheck::kEvery));
  EXPECT_EQ(Hop().status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(budget_->used(), 0);
}

TEST_F(LeafCallsTest, ReturnsCountsNeighboursAndEdgeIds) {
  const auto reply = Hop().value();
  v1::SampleHopReply header;
  ASSERT_TRUE(header.ParseFromString(reply.header));
  EXPECT_EQ(header.nodes(), 2u);
  EXPECT_EQ(header.edges(), 5u);
  EXPECT_FALSE(header.last_is_partial());
  const auto bytes = reply.payload.span();
  ASSERT_EQ(bytes.size(), 2 * 4 + 5 * 16u);
  EXPECT_THAT(Take<uint32_t>(bytes, 0, 2), ElementsAre(1, 4));
  // Originals 1; 0 1 2 3 as internal ids: partition 0 holds 0 and 2.
  EXPECT_THAT(Take<uint64_t>(bytes, 8, 5), ElementsAre(2, 0, 2, 1, 3));
  EXPECT_THAT(Take<int64_t>(bytes, 48, 5), ElementsAre(4, 2, 1, 3, 0));
}

// Only who asks for them gets them; internal ids and positions are below 2^32.
TEST_F(LeafCallsTest, NarrowNumbersAndOmittedEdgeIdsOnRequest) {
  hop_.set_want_positions(true);
  hop_.set_takes_narrow(true);
  const auto narrow = Hop().value();
  v1::SampleHopReply header;
  ASSERT_TRUE(header.ParseFromString(narrow.header));
  EXPECT_TRUE(header.narrow_neighbors());
  EXPECT_TRUE(header.narrow_edge_ids());
  EXPECT_TRUE(header.narrow_positions());
  EXPECT_FALSE(header.edge_ids_omitted());
  auto bytes = narrow.payload.span();
  ASSERT_EQ(bytes.size(), 2 * 4 + 5 * 12u);
  EXPECT_THAT(Take<uint32_t>(bytes, 8, 5), ElementsAre(2, 0, 2, 1, 3));
  EXPECT_THAT(Take<uint32_t>(bytes, 28, 5), ElementsAre(4, 2, 1, 3, 0));
  EXPECT_THAT(Take<uint32_t>(bytes, 48, 5), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(budget_->used(), bytes.size());

  hop_.set_omit_edge_ids(true);
  hop_.set_takes_narrow(false);
  const auto without = Hop().value();
  ASSERT_TRUE(header.ParseFromString(without.header));
  EXPECT_TRUE(header.edge_ids_omitted());
  EXPECT_FALSE(header.narrow_neighbors() || header.narrow_edge_ids() ||
               header.narrow_positions());
  bytes = without.payload.span();
  ASSERT_EQ(bytes.size(), 2 * 4 + 5 * 16u);
  EXPECT_THAT(Take<uint64_t>(bytes, 8, 5), ElementsAre(2, 0, 2, 1, 3));
  EXPECT_THAT(Take<uint64_t>(bytes, 48, 5), ElementsAre(0, 1, 2, 3, 4));

  // As many edges as fit in 8 bytes for a number.
  hop_.set_takes_narrow(true);
  hop_.set_max_reply_bytes(2 * 4 + 3 * 16);
  const auto cut = Hop().value();
  ASSERT_TRUE(header.ParseFromString(cut.header));
  EXPECT_EQ(header.edges(), 3u);
  EXPECT_EQ(cut.payload.size(), 2 * 4 + 3 * 8u);
  EXPECT_FALSE(header.narrow_edge_ids());
  hop_.set_max_reply_bytes(19);
  ExpectHopError(absl::StatusCode::kInvalidArgument, "one edge takes 20");
}

TEST_F(LeafCallsTest, ACutReplyIsGoneOnFrom) {
  hop_.set_max_reply_bytes(2 * 4 + 3 * 16);
  const auto first = Hop().value();
  v1::SampleHopReply header;
  ASSERT_TRUE(header.ParseFromString(first.header));
  EXPECT_EQ(header.nodes(), 2u);
  EXPECT_EQ(header.edges(), 3u);
  EXPECT_TRUE(header.last_is_partial());
  EXPECT_LE(first.payload.size(), hop_.max_reply_bytes());
  hop_.set_num_nodes(1);
  hop_.set_skip_edges(2);
  const auto rest = Hop({1}).value();
  ASSERT_TRUE(header.ParseFromString(rest.header));
  EXPECT_EQ(header.edges(), 2u);
  EXPECT_FALSE(header.last_is_partial());
  EXPECT_THAT(Take<int64_t>(rest.payload.span(), 4 + 16, 2), ElementsAre(3, 0));
}

TEST_F(LeafCallsTest, GathersColumnsInTheOrderAsked) {
  gather_.add_columns(v1::COLUMN_X);
  gather_.add_columns(v1::COLUMN_Y);
  const auto reply = Gather().value();
  const auto bytes = reply.payload.span();
  ASSERT_EQ(bytes.size(), 2 * (8 + 8 + 8u));
  EXPECT_THAT(Take<int64_t>(bytes, 0, 2), ElementsAre(2, 0));
  EXPECT_THAT(Take<float>(bytes, 16, 4), ElementsAre(2, 2.5, 0, 0.5));
  EXPECT_THAT(Take<int64_t>(bytes, 32, 2), ElementsAre(12, 10));
  EXPECT_EQ(budget_->used(), bytes.size());
}

// 2, 2.5, 0, 0.5 in float16; labels stay int64.
TEST_F(LeafCallsTest, GathersFeaturesInThePrecisionAskedFor) {
  gather_.clear_columns();
  gather_.add_columns(v1::COLUMN_X);
  gather_.add_columns(v1::COLUMN_Y);
  gather_.set_feature_dtype(6);
  const auto reply = Gather().value();
  const auto bytes = reply.payload.span();
  ASSERT_EQ(bytes.size(), 2 * (4 + 8u));
  EXPECT_THAT(Take<uint16_t>(bytes, 0, 4),
              ElementsAre(0x4000, 0x4100, 0x0000, 0x3800));
  EXPECT_THAT(Take<int64_t>(bytes, 8, 2), ElementsAre(12, 10));
  // Divided by 2.5 / 127 and 0.5 / 127: 101.6 is 102.
  gather_.set_feature_dtype(2);
  const auto scaled = Gather().value();
  const auto rows = scaled.payload.span();
  ASSERT_EQ(rows.size(), 2 * (2 + 4 + 8u));
  EXPECT_THAT(Take<int8_t>(rows, 0, 4), ElementsAre(102, 127, 0, 127));
  EXPECT_THAT(Take<float>(rows, 4, 2), ElementsAre(2.5f / 127, 0.5f / 127));
  EXPECT_THAT(Take<int64_t>(rows, 12, 2), ElementsAre(12, 10));
  gather_.set_max_reply_bytes(13);
  ExpectGatherError(absl::StatusCode::kInvalidArgument, "one row takes 14");
  gather_.set_feature_dtype(6);
  gather_.set_max_reply_bytes(11);
  ExpectGatherError(absl::StatusCode::kInvalidArgument, "one row takes 12");
  gather_.set_feature_dtype(8);
  ExpectGatherError(absl::StatusCode::kInvalidArgument,
                    "feature_dtype: code 8; allowed: stored, float16");
}

// A read of the graph copies some rows in each of its turns.
TEST_F(LeafCallsTest, RowsAndScalesAreInTheirPlacesHoweverTheyAreCopied) {
  gather_.add_columns(v1::COLUMN_X);
  gather_.set_num_rows(3);
  std::string payload;
  Append({1, 0, 1}, &payload);
  for (const int dtype : {0, 2, 6}) {  // as stored, int8 with scales, float16
    gather_.set_feature_dtype(dtype);
    const auto wanted =
        ServeGather(HalfGraph(), gather_, Bytes(payload), {}, *share_).value();
    auto begun =
        BeginGather(HalfGraph(), gather_, Bytes(payload), {}, *share_).value();
    begun.Copy(0, 1);
    begun.Copy(1, 3);
    const LeafReply reply = begun.Finish();
    EXPECT_EQ(reply.header, wanted.header);
    EXPECT_EQ(reply.payload.span(), wanted.payload.span()) << dtype;
  }
}

TEST_F(LeafCallsTest, GathersAsManyRowsAsFit) {
  gather_.set_max_reply_bytes(15);
  const auto reply = Gather().value();
  v1::GatherReply header;
  ASSERT_TRUE(header.ParseFromString(reply.header));
  EXPECT_EQ(header.rows(), 1u);
  EXPECT_THAT(Take<int64_t>(reply.payload.span(), 0, 1), ElementsAre(2));
}

TEST_F(LeafCallsTest, SaysWhichPartitionsAreHere) {
  hop_.set_partition(1);
  gather_.set_partition(1);
  ExpectHopError(absl::StatusCode::kNotFound, "which has 0");
  ExpectGatherError(absl::StatusCode::kNotFound, "which has 0");
  hop_.set_partition(2);
  ExpectHopError(absl::StatusCode::kInvalidArgument, "partition 2");
}

TEST_F(LeafCallsTest, BelievesNoIndexSizeOrRow) {
  EXPECT_EQ(Hop({0, 2}).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(Gather({0, UINT64_MAX}).status().code(),
            absl::StatusCode::kOutOfRange);
  hop_.set_num_nodes(uint64_t{1} << 61);  // times 12 is past 2^64
  ExpectHopError(absl::StatusCode::kInvalidArgument, "payload of 24 bytes");
  hop_.set_num_nodes(2);
  hop_.set_edge_type(1);
  ExpectHopError(absl::StatusCode::kInvalidArgument, "edge type 1");
  hop_.set_edge_type(0);
  hop_.set_fanout(-2);
  ExpectHopError(absl::StatusCode::kInvalidArgument, "fanout -2");
  hop_.set_fanout(2);
  hop_.set_max_reply_bytes(19);
  ExpectHopError(absl::StatusCode::kInvalidArgument, "one edge takes 20");
  gather_.set_num_rows(3);
  ExpectGatherError(absl::StatusCode::kInvalidArgument, "16 bytes for 3");
  gather_.set_num_rows(2);
  gather_.set_max_reply_bytes(7);
  ExpectGatherError(absl::StatusCode::kInvalidArgument, "one row takes 8");
}

TEST_F(LeafCallsTest, RefusesColumnsThatTheTableDoesNotHave) {
  gather_.add_columns(v1::COLUMN_EDGE_ATTR);
  ExpectGatherError(absl::StatusCode::kInvalidArgument, "column 4");
  gather_.clear_columns();
  ExpectGatherError(absl::StatusCode::kInvalidArgument, "0 columns");
  gather_.set_edge_type(0);
  gather_.add_columns(v1::COLUMN_EDGE_ATTR);
  ExpectGatherError(absl::StatusCode::kInvalidArgument, "column 4");
  gather_.set_columns(0, v1::COLUMN_WEIGHT);
  ExpectGatherError(absl::StatusCode::kInvalidArgument, "column 6");
  gather_.clear_table();
  ExpectGatherError(absl::StatusCode::kInvalidArgument, "neither");
}

TEST_F(LeafCallsTest, DrawsInTrees) {
  hop_.set_fanout(2);
  hop_.set_disjoint(true);
  const std::vector<uint32_t> numbers = {0, 3}, trees = {7, 65'535};
  const std::vector<uint64_t> rows = {1, 1};
  const std::string payload = AsBytes(numbers) + AsBytes(trees) + AsBytes(rows);
  const auto reply =
      ServeSampleHop(HalfGraph(), hop_, Bytes(payload), {}, *share_).value();
  HopQuery query;
  query.fanout = 2;
  query.local_numbers = numbers;
  query.trees = trees;
  query.rows = rows;
  HopEdges want;
  ASSERT_TRUE(SampleHop(*HalfGraph().edges(0, 0), 4, query, &want).ok());
  const auto bytes = reply.payload.span();
  EXPECT_EQ(Take<uint32_t>(bytes, 0, 2), want.counts);
  EXPECT_EQ(Take<uint64_t>(bytes, 8, 4), want.neighbors);
  EXPECT_EQ(Take<int64_t>(bytes, 40, 4), want.edge_ids);
}

// Local numbers, trees, rows and bounds: 4, 4, 8 and 8 bytes.
TEST_F(LeafCallsTest, ThePayloadIsAsLongAsTheFieldsSay) {
  hop_.set_disjoint(true);
  ExpectHopError(absl::StatusCode::kInvalidArgument,
                 "24 bytes for 2 items of 16 bytes");
  hop_.set_time(v1::TIME_COLUMN_EDGE);
  ExpectHopError(absl::StatusCode::kInvalidArgument,
                 "24 bytes for 2 items of 24 bytes");
  hop_.set_disjoint(false);
  ExpectHopError(absl::StatusCode::kInvalidArgument,
                 "24 bytes for 2 items of 20 bytes");
}

TEST_F(LeafCallsTest, RefusesDrawsThatItDoesNotKnowOrHave) {
  hop_.set_draw(static_cast<v1::Draw>(4));
  ExpectHopError(absl::StatusCode::kInvalidArgument, "draw 4; allowed");
  hop_.set_draw(v1::DRAW_WEIGHTED);
  ExpectHopError(absl::StatusCode::kFailedPrecondition, "weights");
  hop_.set_draw(v1::DRAW_LABOR);
  ExpectHopError(absl::StatusCode::kFailedPrecondition, "neighbor_id");
  hop_.set_draw(v1::DRAW_UNIFORM);
  hop_.set_time(static_cast<v1::TimeColumn>(5));
  ExpectHopError(absl::StatusCode::kInvalidArgument, "time 5; allowed");
}

// Node 0 of `a` has two in-edges of type 1 and one of type 2. Each of 64 draws
// of one neighbour is in the answer for one of the types.
TEST_F(LeafCallsTest, AnswersForEachTypeItsPartOfOneDraw) {
  constexpr size_t kNodes = 64;
  const auto graph = SmallTyped(1);
  std::vector<uint32_t> numbers(kNodes);
  for (uint32_t i = 0; i < kNodes; ++i) numbers[i] = i;
  const std::string payload =
      AsBytes(numbers) + AsBytes(std::vector<uint64_t>(kNodes, 0));
  hop_.set_num_nodes(kNodes);
  hop_.set_draw(v1::DRAW_ACROSS_TYPES);
  hop_.set_fanout(1);
  hop_.set_key0(7);
  std::vector<uint32_t> of_type[2];
  for (const uint32_t type : {1, 2}) {
    hop_.set_edge_type(type);
    const auto reply =
        ServeSampleHop(*graph, hop_, Bytes(payload), {}, *share_);
    ASSERT_TRUE(reply.ok()) << reply.status();
    of_type[type - 1] = Take<uint32_t>(reply->payload.span(), 0, kNodes);
  }
  for (size_t i = 0; i < kNodes; ++i) {
    EXPECT_EQ(of_type[0][i] + of_type[1][i], 1u) << i;
  }
  EXPECT_THAT(of_type[1], AllOf(Contains(0u), Contains(1u)));
}

// Node 2, row 1, has in-edges 2 1 3 0 from 0 1 2 3, whose internal ids are 0 2
// 1 3.
TEST_F(LeafCallsTest, LeavesOutExcludedEdges) {
  hop_.set_num_excluded_edges(2);
  hop_.set_num_excluded_sources(1);
  const auto payload = [](const std::vector<uint64_t>& rows) {
    return AsBytes(std::vector<uint32_t>{0, 1}) +
           AsBytes(std::vector<uint64_t>{0, 1}) + AsBytes(rows) +
           AsBytes(std::vector<int64_t>{1, 1}) +
           AsBytes(std::vector<uint64_t>{1}) +
           AsBytes(std::vector<uint64_t>{3});
  };
  const auto reply =
      ServeSampleHop(HalfGraph(), hop_, Bytes(payload({0, 1})), {}, *share_)
          .value();
  const auto bytes = reply.payload.span();
  EXPECT_THAT(Take<uint32_t>(bytes, 0, 2), ElementsAre(1, 2));
  EXPECT_THAT(Take<int64_t>(bytes, 8 + 3 * 8, 3), ElementsAre(4, 2, 3));
  EXPECT_THAT(std::string(ServeSampleHop(HalfGraph(), hop_,
                                         Bytes(payload({1, 0})), {}, *share_)
                              .status()
                              .message()),
              HasSubstr("do not ascend"));
  hop_.set_num_excluded_edges(uint64_t{1} << 63);
  ExpectHopError(absl::StatusCode::kInvalidArgument, "24 bytes for 9223372036");
  hop_.set_num_excluded_edges(0);
  ExpectHopError(absl::StatusCode::kInvalidArgument, "8 bytes for 2 items");
}

TEST_F(LeafCallsTest, DrawsByConditions) {
  GraphSpec spec = Spec();
  spec.weight = {5, 6, 7, 8, 9};
  spec.masks["train"] = {1, 0, 1, 1, 0};
  const auto weighted = BuildGraph(spec, {{0}});
  v1::EdgeCondition* condition = hop_.add_conditions();
  condition->set_column(v1::EDGE_COLUMN_WEIGHT);
  condition->set_comparison(v1::COMPARISON_GREATER);
  condition->set_decimal(6.5);
  const std::string payload = AsBytes(std::vector<uint32_t>{0, 1}) +
                              AsBytes(std::vector<uint64_t>{0, 1});
  const auto serve = [&] {
    return ServeSampleHop(*weighted, hop_, Bytes(payload), {}, *share_);
  };
  EXPECT_THAT(Take<int64_t>(serve()->payload.span(), 8 + 3 * 8, 3),
              ElementsAre(4, 2, 3));
  v1::EdgeCondition* const mask = hop_.add_conditions();
  mask->set_column(v1::EDGE_COLUMN_MASK);
  mask->set_comparison(v1::COMPARISON_EQUAL);
  mask->set_whole(1);
  EXPECT_THAT(std::string(serve().status().message()),
              HasSubstr("mask ''; allowed: a name"));
  mask->set_mask("train");
  EXPECT_THAT(Take<int64_t>(serve()->payload.span(), 8 + 2 * 8, 2),
              ElementsAre(2, 3));
  hop_.mutable_conditions()->RemoveLast();
  condition->set_mask("train");
  EXPECT_THAT(std::string(serve().status().message()),
              HasSubstr("mask 'train'; allowed: a name with edge_mask"));
  condition->clear_mask();
  condition->set_column(v1::EDGE_COLUMN_TIME);
  EXPECT_THAT(
      std::string(serve().status().message()),
      HasSubstr("no such column; allowed: edge_weight, edge_mask[train]"));
  condition->clear_comparison();
  EXPECT_THAT(std::string(serve().status().message()),
              HasSubstr("comparison 0"));
  for (int i = 0; i < 17; ++i) *hop_.add_conditions() = hop_.conditions(0);
  EXPECT_THAT(std::string(serve().status().message()),
              HasSubstr("18 conditions"));
}

// 0 and 2 are in partition 0.
TEST_F(LeafCallsTest, GathersTimesOfNodes) {
  gather_.clear_columns();
  gather_.add_columns(v1::COLUMN_TIME);
  ExpectGatherError(absl::StatusCode::kInvalidArgument, "column 5");
  GraphSpec spec = Spec();
  spec.node_time = {5, 6, -7, 8};
  const auto timed = BuildGraph(spec, {{0}});
  const std::string payload = AsBytes(std::vector<uint64_t>{1, 0});
  const auto reply =
      ServeGather(*timed, gather_, Bytes(payload), {}, *share_).value();
  EXPECT_THAT(Take<int64_t>(reply.payload.span(), 0, 2), ElementsAre(-7, 5));
}

TEST_F(LeafCallsTest, AFullBudgetIsAnsweredAtOnce) {
  const auto held = budget_->Open("another")->TryTake(8190).value();
  ExpectHopError(absl::StatusCode::kResourceExhausted, "leaf budget");
  ExpectGatherError(absl::StatusCode::kResourceExhausted, "leaf budget");
}

}  // namespace
}  // namespace tributary
