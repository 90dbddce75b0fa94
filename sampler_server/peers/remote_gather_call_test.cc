// Rows of a partition of other servers: requests, replies, and how they join.
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/peers/testing/remote_call_fixture.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

template <typename T>
std::vector<T> ValuesOf(GatheredRows::Bytes bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

class RemoteGatherCallTest : public RemoteCallFixture<GatheredRows> {
 protected:
  // Original ids of two rows of partition 1.
  RemoteGatherCallTest() {
    gather_.partition = 1;
    gather_.orig_id = true;
    gather_.rows = {1, 0};
  }
  void Start() {
    partitions_.Gather(gather_, limits_, world_.strand(), Done());
  }
  absl::StatusOr<GatheredRows> Run() {
    Start();
    return Await();
  }
  void ReplyRows(uint64_t rows, std::string payload) {
    v1::GatherReply header;
    header.set_rows(rows);
    Reply(MessageKind::kGatherReply, header, std::move(payload));
  }
  v1::GatherRequest Request(size_t call) {
    EXPECT_EQ(calls().at(call).kind, MessageKind::kGatherRequest);
    return calls().at(call).Parse<v1::GatherRequest>();
  }

  RemoteGather gather_;
};

TEST_F(RemoteGatherCallTest, ColumnsOfNodes) {
  gather_.x = gather_.y = true;
  ReplyRows(2, BytesOf<int64_t>({3, 1}) + BytesOf<float>({3, 3.5, 1, 1.5}) +
                   BytesOf<int64_t>({13, 11}));
  const auto rows = Run();
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_THAT(ValuesOf<int64_t>(rows->orig_id), ElementsAre(3, 1));
  EXPECT_THAT(ValuesOf<float>(rows->x), ElementsAre(3, 3.5, 1, 1.5));
  EXPECT_THAT(ValuesOf<int64_t>(rows->y), ElementsAre(13, 11));
  EXPECT_THAT(rows->time, IsEmpty());
  EXPECT_EQ(rows->x_scale.size(), 0u);
  ASSERT_THAT(calls(), SizeIs(1));
  const auto request = Request(0);
  const Sha256Digest& layout = world_.graph().schema().layout_digest;
  EXPECT_EQ(request.layout_digest(), std::string(layout.begin(), layout.end()));
  EXPECT_EQ(request.partition(), 1u);
  EXPECT_EQ(request.table_case(), v1::GatherRequest::kNodeType);
  EXPECT_THAT(request.columns(),
              ElementsAre(v1::COLUMN_ORIG_ID, v1::COLUMN_X, v1::COLUMN_Y));
  EXPECT_EQ(request.num_rows(), 2u);
  EXPECT_EQ(request.max_reply_bytes(), 2 * (8 + 8 + 8u));
  EXPECT_EQ(request.timeout_ms(), 5000u);
  EXPECT_EQ(request.feature_dtype(), 0u);
  EXPECT_EQ(calls()[0].payload, BytesOf<uint64_t>({1, 0}));
}

TEST_F(RemoteGatherCallTest, TimesOfNodes) {
  gather_.time = true;
  ReplyRows(2, BytesOf<int64_t>({3, 1}) + BytesOf<int64_t>({-30, 10}));
  const auto rows = Run();
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_THAT(ValuesOf<int64_t>(rows->orig_id), ElementsAre(3, 1));
  EXPECT_THAT(ValuesOf<int64_t>(rows->time), ElementsAre(-30, 10));
  EXPECT_THAT(Request(0).columns(),
              ElementsAre(v1::COLUMN_ORIG_ID, v1::COLUMN_TIME));
}

// Each column of int8 is followed by its rows' scales.
TEST_F(RemoteGatherCallTest, FeaturesInALowerPrecision) {
  gather_.orig_id = false;
  gather_.x = gather_.y = true;
  gather_.feature_dtype = FeatureDType::kInt8;
  ReplyRows(2, BytesOf<int8_t>({109, 127, 85, 127}) +
                   BytesOf<float>({0.25, 0.5}) + BytesOf<int64_t>({13, 11}));
  const auto rows = Run();
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_THAT(ValuesOf<int8_t>(rows->x), ElementsAre(109, 127, 85, 127));
  EXPECT_THAT(ValuesOf<float>(rows->x_scale), ElementsAre(0.25, 0.5));
  EXPECT_THAT(ValuesOf<int64_t>(rows->y), ElementsAre(13, 11));
  const auto request = Request(0);
  EXPECT_THAT(request.columns(), ElementsAre(v1::COLUMN_X, v1::COLUMN_Y));
  EXPECT_EQ(request.feature_dtype(),
            static_cast<uint32_t>(FeatureDType::kInt8));
  EXPECT_EQ(request.max_reply_bytes(), 2 * (2 + 4 + 8u));
}

TEST_F(RemoteGatherCallTest, AttributesOfEdges) {
  gather_.table = RemoteGather::Table::kEdges;
  gather_.orig_id = false;
  gather_.edge_attr = true;
  ReplyRows(2, BytesOf<float>({4, 2}));
  const auto rows = Run();
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_THAT(ValuesOf<float>(rows->edge_attr), ElementsAre(4, 2));
  EXPECT_EQ(Request(0).table_case(), v1::GatherRequest::kEdgeType);
  EXPECT_THAT(Request(0).columns(), ElementsAre(v1::COLUMN_EDGE_ATTR));
}

TEST_F(RemoteGatherCallTest, WeightsOfEdges) {
  GraphSchema schema = world_.graph().schema();
  schema.edge_types[0].weighted = true;
  schema.edge_types[0].weight_dtype = DType::kFloat64;
  PeerPartitions partitions(schema, world_.directory());
  gather_.table = RemoteGather::Table::kEdges;
  gather_.orig_id = false;
  gather_.weight = true;
  ReplyRows(1, BytesOf<double>({0.25}));
  ReplyRows(1, BytesOf<double>({8}));
  partitions.Gather(gather_, limits_, world_.strand(), Done());
  const auto rows = Await();
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_THAT(ValuesOf<double>(rows->weight), ElementsAre(0.25, 8));
  EXPECT_THAT(Request(0).columns(), ElementsAre(v1::COLUMN_WEIGHT));
  EXPECT_EQ(Request(0).max_reply_bytes(), 16u);
}

TEST_F(RemoteGatherCallTest, AReplyOfFewerRowsIsContinued) {
  gather_.rows = {4, 5, 6};
  gather_.y = true;
  ReplyRows(2, BytesOf<int64_t>({40, 50}) + BytesOf<int64_t>({-4, -5}));
  ReplyRows(1, BytesOf<int64_t>({60}) + BytesOf<int64_t>({-6}));
  const auto rows = Run();
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_THAT(ValuesOf<int64_t>(rows->orig_id), ElementsAre(40, 50, 60));
  EXPECT_THAT(ValuesOf<int64_t>(rows->y), ElementsAre(-4, -5, -6));
  ASSERT_THAT(calls(), SizeIs(2));
  EXPECT_EQ(Request(1).num_rows(), 1u);
  EXPECT_EQ(Request(1).max_reply_bytes(), 16u);
  EXPECT_EQ(calls()[1].payload, BytesOf<uint64_t>({6}));
}

// 131,072 rows of 8 bytes fill a quarter of a message.
TEST_F(RemoteGatherCallTest, AsksForNoMoreRowsThanFitAMessage) {
  gather_.rows.assign(131'073, 7);
  ReplyRows(131'072, BytesOf(std::vector<int64_t>(131'072, 70)));
  ReplyRows(1, BytesOf<int64_t>({71}));
  const auto rows = Run();
  ASSERT_TRUE(rows.ok()) << rows.status();
  const auto ids = ValuesOf<int64_t>(rows->orig_id);
  ASSERT_THAT(ids, SizeIs(131'073));
  EXPECT_EQ(ids[131'071], 70);
  EXPECT_EQ(ids[131'072], 71);
  ASSERT_THAT(calls(), SizeIs(2));
  EXPECT_EQ(Request(0).num_rows(), 131'072u);
  EXPECT_EQ(Request(1).num_rows(), 1u);
}

TEST_F(RemoteGatherCallTest, ImpossibleOriginalIdsAreRefused) {
  ReplyRows(2, BytesOf<int64_t>({3, 2048}));
  ReplyRows(2, BytesOf<int64_t>({-1, 3}));
  ReplyRows(2, BytesOf<int64_t>({3, 2047}));
  const auto rows = Run();
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_THAT(ValuesOf<int64_t>(rows->orig_id), ElementsAre(3, 2047));
  EXPECT_THAT(calls(), SizeIs(3));
}

TEST_F(RemoteGatherCallTest, WithoutRowsOrColumnsNobodyIsAsked) {
  gather_.rows.clear();
  EXPECT_TRUE(Run().ok());
  gather_.rows = {1};
  gather_.orig_id = false;
  EXPECT_TRUE(Run().ok());
  EXPECT_THAT(calls(), IsEmpty());
}

TEST_F(RemoteGatherCallTest, AColumnThatTheGraphLacksIsNamed) {
  GraphSchema schema = world_.graph().schema();
  schema.node_types[0].x.reset();
  schema.edge_types[0].edge_attr.reset();
  PeerPartitions partitions(schema, world_.directory());
  gather_.x = true;
  partitions.Gather(gather_, limits_, world_.strand(), Done());
  EXPECT_EQ(Await().status(),
            absl::InvalidArgumentError("the graph has no COLUMN_X"));
  gather_.table = RemoteGather::Table::kEdges;
  gather_.edge_attr = true;
  partitions.Gather(gather_, limits_, world_.strand(), Done());
  EXPECT_EQ(Await().status(),
            absl::InvalidArgumentError("the graph has no COLUMN_EDGE_ATTR"));
  gather_.edge_attr = false;
  gather_.weight = true;
  partitions.Gather(gather_, limits_, world_.strand(), Done());
  EXPECT_EQ(Await().status(),
            absl::InvalidArgumentError("the graph has no COLUMN_WEIGHT"));
  EXPECT_THAT(calls(), IsEmpty());
}

// Another owner is asked, and its rows take the place of all that came; where
// all owners reply so, the error says what was wrong.
TEST_F(RemoteGatherCallTest, MalformedRepliesAreRefused) {
  const std::string row = BytesOf<int64_t>({99});
  const std::vector<std::pair<uint64_t, std::string>> malformed = {
      {0, ""},
      {0, row},
      {1, row + row},
      {2, row},
      {2, (row + row).substr(1)},
      {3, row + row},
      {uint64_t{1} << 61, ""},  // times 8 is 0
  };
  for (const auto& [rows, payload] : malformed) {
    const std::string error =
        absl::StrCat("DATA_LOSS: reply of ", rows, " rows in ", payload.size(),
                     " bytes to a request for 2 rows of 8 bytes");
    SCOPED_TRACE(error);
    limits_.deadline = world_.now() + absl::Seconds(60);
    ReplyRows(rows, payload);
    ReplyRows(2, BytesOf<int64_t>({3, 1}));
    const size_t before = calls().size();
    const auto result = Run();
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_THAT(ValuesOf<int64_t>(result->orig_id), ElementsAre(3, 1));
    EXPECT_EQ(calls().size(), before + 2);

    limits_.deadline = world_.now() + absl::Seconds(1);
    ReplyRows(rows, payload);
    then_ = [again = replies_.back()](const ArrivedCall&) { return again; };
    const auto failed = Run();
    EXPECT_EQ(failed.status().code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(failed.status().message()), HasSubstr(error));
  }
}

// Beyond the size asked for, replies are not even read.
TEST_F(RemoteGatherCallTest, ALongerReplyIsRefused) {
  ReplyRows(2, BytesOf<int64_t>({99, 99}) + "x");
  ReplyRows(2, BytesOf<int64_t>({3, 1}));
  const auto result = Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(ValuesOf<int64_t>(result->orig_id), ElementsAre(3, 1));
  EXPECT_EQ(calls().size(), 2u);
}

TEST_F(RemoteGatherCallTest, ACancelReachesThePeer) {
  Start();
  ExpectCancelReachesThePeer();
}

TEST_F(RemoteGatherCallTest, ACancelReachesThePeerThatContinuesAGather) {
  ReplyRows(1, BytesOf<int64_t>({3}));
  Start();
  ExpectCancelReachesThePeer(/*answered=*/1);
}

}  // namespace
}  // namespace tributary
