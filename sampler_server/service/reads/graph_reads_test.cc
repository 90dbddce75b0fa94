// Reads of the graph: replies to valid requests, and how others are refused.
#include "sampler_server/service/reads/graph_reads.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "common/runtime/work_slice.h"
#include "common/text/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/format/testing/hot_list_of.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Nodes 0 and 2 are rows 0 and 1 of partition 0, nodes 1 and 3 of partition 1.
// Partition 0 has the edges, by position: 4 (1>0), 2 (0>2), 1 (1>2), 3 (2>2), 0
// (3>2); partition 1 has edge 5 (2>3).
GraphSpec Spec() {
  GraphSpec spec;
  spec.num_nodes = 4;
  spec.edges = {{3, 2}, {1, 2}, {0, 2}, {2, 2}, {1, 0}, {2, 3}};
  spec.num_partitions = 2;
  spec.x_dim = 2;
  spec.x = {0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5};
  spec.y = {10, 11, 12, 13};
  spec.node_time = {-1, -2, -3, -4};
  spec.edge_attr = {100, 101, 102, 103, 104, 105};
  spec.weight = {0, 1, 2, 3, 4, 5};
  spec.edge_time = {50, 40, 30, 60, 10, 7};
  spec.masks["train"] = {1, 0, 0, 1, 1, 0};
  spec.degrees = true;
  spec.edge_index = true;
  return spec;
}

const Graph& HalfGraph() {
  static const auto* const graph =
      new std::shared_ptr<const Graph>(BuildGraph(Spec(), {{0}}));
  return **graph;
}

template <typename T>
std::vector<T> Take(const LeafReply& reply, size_t offset, size_t n) {
  EXPECT_GE(reply.payload.size(), offset + n * sizeof(T));
  std::vector<T> values(n);
  std::memcpy(values.data(), reply.payload.data() + offset, n * sizeof(T));
  return values;
}

class GraphReadsTest : public testing::Test {
 protected:
  template <typename Request, typename Item>
  absl::StatusOr<LeafReply> Call(
      absl::StatusOr<ItemRead> (*begin)(const Graph&, const Request&,
                                        absl::Span<const uint8_t>,
                                        const LeafLimits&, BudgetShare&),
      const Request& request, const std::vector<Item>& items,
      const Graph& graph = HalfGraph()) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(items.data());
    ASSIGN_OR_RETURN(ItemRead read,
                     begin(graph, request, {bytes, items.size() * sizeof(Item)},
                           limits_, *budget_->Open("trainer")));
    for (steps_ = 1;; ++steps_) {
      WorkSlice slice(slice_);
      ASSIGN_OR_RETURN(const bool complete, read.Step(slice));
      most_spent_ = std::max(most_spent_, slice.spent());
      if (complete) return read.TakeReply();
    }
  }
  absl::StatusOr<LeafReply> ReadHotList(const std::string& file,
                                        uint64_t offset, uint64_t num_bytes,
                                        const std::string& digest) {
    v1::ReadHotListRequest request;
    request.set_list_digest(digest);
    request.set_file(file);
    request.set_offset(offset);
    request.set_num_bytes(num_bytes);
    ASSIGN_OR_RETURN(ItemRead read,
                     BeginReadHotList(lists_, request, {}, limits_,
                                      *budget_->Open("trainer")));
    for (steps_ = 1;; ++steps_) {
      WorkSlice slice(slice_);
      ASSIGN_OR_RETURN(const bool complete, read.Step(slice));
      if (complete) return read.TakeReply();
    }
  }
  absl::StatusOr<LeafReply> LocateNodes(const std::vector<int64_t>& ids) {
    v1::LocateNodesRequest request;
    request.set_num_ids(ids.size());
    return Call(BeginLocateNodes, request, ids);
  }
  absl::StatusOr<LeafReply> LocateEdges(const std::vector<int64_t>& ids,
                                        const Graph& graph = HalfGraph()) {
    v1::LocateEdgesRequest request;
    request.set_num_ids(ids.size());
    return Call(BeginLocateEdges, request, ids, graph);
  }
  absl::StatusOr<LeafReply> Read(bool nodes, v1::StoredColumn column,
                                 const std::vector<uint64_t>& rows,
                                 uint32_t partition = 0,
                                 const std::string& mask = "") {
    v1::ReadColumnRequest request;
    if (nodes) {
      request.set_node_type(0);
    } else {
      request.set_edge_type(0);
    }
    request.set_partition(partition);
    request.set_column(column);
    request.set_mask(mask);
    request.set_num_rows(rows.size());
    return Call(BeginReadColumn, request, rows);
  }
  absl::StatusOr<LeafReply> FindEdges(const std::vector<uint64_t>& positions) {
    v1::FindEdgesRequest request;
    request.set_num_edges(positions.size());
    return Call(BeginFindEdges, request, positions);
  }
  absl::StatusOr<LeafReply> Degrees(bool out,
                                    const std::vector<uint64_t>& nodes,
                                    const Graph& graph = HalfGraph()) {
    v1::NodeDegreesRequest request;
    request.set_out(out);
    request.set_num_nodes(nodes.size());
    return Call(BeginNodeDegrees, request, nodes, graph);
  }
  static void ExpectError(const absl::StatusOr<LeafReply>& reply,
                          absl::StatusCode code, const std::string& text) {
    EXPECT_EQ(reply.status().code(), code) << reply.status();
    EXPECT_THAT(std::string(reply.status().message()), HasSubstr(text));
  }

  uint64_t slice_ = WorkSlice::kLimit;  // of a step
  uint64_t steps_ = 0;                  // of the latest read
  uint64_t most_spent_ = 0;             // of a step
  LeafLimits limits_;
  const HotLists lists_ = {HotListOf(*BuildGraph(Spec()), 1)};
  std::shared_ptr<SharedBudget> budget_ =
      SharedBudget::Create("data budget", 1 << 20);
};

TEST_F(GraphReadsTest, LocatesNodesOfAnyPartition) {
  EXPECT_THAT(Take<uint64_t>(LocateNodes({3, 0, 2, 1, 3}).value(), 0, 5),
              ElementsAre(3, 0, 1, 2, 3));
  ExpectError(LocateNodes({0, 4}), absl::StatusCode::kOutOfRange,
              "there is no node 4; ids are 0 to 4 - 1");
  ExpectError(LocateNodes({-1}), absl::StatusCode::kOutOfRange, "node -1");
}

TEST_F(GraphReadsTest, LocatesEdgesOfAnyPartition) {
  const auto reply = LocateEdges({5, 0, 4, 3}).value();
  EXPECT_THAT(Take<uint64_t>(reply, 0, 4), ElementsAre(0, 4, 0, 3));
  EXPECT_THAT(Take<uint32_t>(reply, 32, 4), ElementsAre(1, 0, 0, 0));
  ExpectError(LocateEdges({6}), absl::StatusCode::kOutOfRange, "edge 6");
}

TEST_F(GraphReadsTest, NamesTheFlagOfTheMissingIndex) {
  GraphSpec spec = Spec();
  spec.edge_index = false;
  spec.degrees = false;
  const auto graph = BuildGraph(spec);
  ExpectError(LocateEdges({0}, *graph), absl::StatusCode::kFailedPrecondition,
              "--edge-index");
  ExpectError(Degrees(true, {0}, *graph), absl::StatusCode::kFailedPrecondition,
              "--degrees");
}

TEST_F(GraphReadsTest, ReadsColumnsOfNodes) {
  EXPECT_THAT(
      Take<float>(Read(true, v1::STORED_COLUMN_X, {1, 0, 1}).value(), 0, 6),
      ElementsAre(2, 2.5, 0, 0.5, 2, 2.5));
  EXPECT_THAT(
      Take<int64_t>(Read(true, v1::STORED_COLUMN_Y, {1, 0}).value(), 0, 2),
      ElementsAre(12, 10));
  EXPECT_THAT(
      Take<int64_t>(Read(true, v1::STORED_COLUMN_TIME, {0, 1}).value(), 0, 2),
      ElementsAre(-1, -3));
  EXPECT_THAT(
      Take<int64_t>(Read(true, v1::STORED_COLUMN_ORIG_ID, {1}).value(), 0, 1),
      ElementsAre(2));
}

TEST_F(GraphReadsTest, ReadsColumnsOfEdges) {
  const std::vector<uint64_t> all = {0, 1, 2, 3, 4};  // ids 4 2 1 3 0
  EXPECT_THAT(
      Take<int64_t>(Read(false, v1::STORED_COLUMN_EDGE_ID, all).value(), 0, 5),
      ElementsAre(4, 2, 1, 3, 0));
  EXPECT_THAT(
      Take<float>(Read(false, v1::STORED_COLUMN_EDGE_ATTR, all).value(), 0, 5),
      ElementsAre(104, 102, 101, 103, 100));
  EXPECT_THAT(
      Take<double>(Read(false, v1::STORED_COLUMN_WEIGHT, all).value(), 0, 5),
      ElementsAre(4, 2, 1, 3, 0));
  EXPECT_THAT(
      Take<int64_t>(Read(false, v1::STORED_COLUMN_TIME, all).value(), 0, 5),
      ElementsAre(10, 30, 40, 60, 50));
  EXPECT_THAT(
      Take<uint8_t>(
          Read(false, v1::STORED_COLUMN_MASK, all, 0, "train").value(), 0, 5),
      ElementsAre(1, 0, 0, 1, 1));
}

TEST_F(GraphReadsTest, FindsTheEndsOfEdges) {
  const auto reply = FindEdges({4, 0, 1}).value();
  EXPECT_THAT(Take<uint64_t>(reply, 0, 3), ElementsAre(3, 2, 0));  // internal
  EXPECT_THAT(Take<int64_t>(reply, 24, 3), ElementsAre(2, 0, 2));
  ExpectError(FindEdges({5}), absl::StatusCode::kOutOfRange, "row 5");
}

TEST_F(GraphReadsTest, CountsEdgesOfNodes) {
  EXPECT_THAT(Take<uint64_t>(Degrees(false, {1, 0}).value(), 0, 2),
              ElementsAre(4, 1));
  EXPECT_THAT(Take<uint64_t>(Degrees(true, {0, 1, 2, 3}).value(), 0, 4),
              ElementsAre(1, 2, 2, 1));
  ExpectError(Degrees(false, {2}), absl::StatusCode::kOutOfRange, "row 2");
  ExpectError(Degrees(true, {4}), absl::StatusCode::kOutOfRange, "node 4");
}

TEST_F(GraphReadsTest, RefusesWhatIsNotThere) {
  ExpectError(Read(true, v1::STORED_COLUMN_X, {0}, 1),
              absl::StatusCode::kNotFound, "partition 1 is not on this server");
  ExpectError(Read(false, v1::STORED_COLUMN_WEIGHT, {0}, 1),
              absl::StatusCode::kNotFound, "partition 1 is not on this server");
  ExpectError(Read(true, v1::STORED_COLUMN_X, {2}),
              absl::StatusCode::kOutOfRange, "row 2");
  ExpectError(Read(false, v1::STORED_COLUMN_WEIGHT, {5}),
              absl::StatusCode::kOutOfRange, "row 5");
  ExpectError(Read(true, v1::STORED_COLUMN_EDGE_ATTR, {0}),
              absl::StatusCode::kInvalidArgument, "column");
  ExpectError(Read(false, v1::STORED_COLUMN_X, {0}),
              absl::StatusCode::kInvalidArgument, "column");
  ExpectError(Read(false, v1::STORED_COLUMN_MASK, {0}, 0, "test"),
              absl::StatusCode::kInvalidArgument, "has no mask 'test'");
  v1::ReadColumnRequest none;
  ExpectError(Call(BeginReadColumn, none, std::vector<uint64_t>()),
              absl::StatusCode::kInvalidArgument, "neither node_type");
}

TEST_F(GraphReadsTest, BoundsItemsAndReplies) {
  const std::vector<uint64_t> many(kMaxGraphReadItems + 1);
  ExpectError(FindEdges(many), absl::StatusCode::kInvalidArgument,
              "allowed: up to 65536");
  ExpectError(Read(true, v1::STORED_COLUMN_X, many),
              absl::StatusCode::kInvalidArgument, "allowed: up to 65536");
  limits_.max_reply_bytes = 16;
  ExpectError(Read(true, v1::STORED_COLUMN_X, {0, 1, 0}),
              absl::StatusCode::kInvalidArgument, "ask for fewer");
  ExpectError(FindEdges({0, 1}), absl::StatusCode::kInvalidArgument,
              "ask for fewer");
  v1::FindEdgesRequest lie;
  lie.set_num_edges(2);
  ExpectError(Call(BeginFindEdges, lie, std::vector<uint64_t>{0}),
              absl::StatusCode::kInvalidArgument, "payload of 8 bytes");
  limits_.max_reply_bytes = 1 << 20;
  budget_ = SharedBudget::Create("data budget", 24);
  const auto held = budget_->Open("another")->TryTake(16);
  ASSERT_TRUE(held.ok());
  ExpectError(FindEdges({0}), absl::StatusCode::kResourceExhausted,
              "data budget");
}

// Rows stored as int8 with a scale are read as float32: here as 127 times the
// row's larger number / 127.
TEST_F(GraphReadsTest, ScaledFeaturesAreMultipliedOut) {
  GraphSpec spec = Spec();
  spec.scaled = true;
  const auto graph = BuildGraph(spec, {{0}});
  v1::ReadColumnRequest request;
  request.set_node_type(0);
  request.set_column(v1::STORED_COLUMN_X);
  request.set_num_rows(2);
  const std::vector<uint64_t> rows = {1, 0};
  const auto x = Call(BeginReadColumn, request, rows, *graph).value();
  const float scale = 2.5f / 127;
  EXPECT_EQ(x.payload.size(), 4 * sizeof(float));
  EXPECT_THAT(Take<float>(x, 0, 4),
              ElementsAre(102 * scale, 127 * scale, 0, 127 * (0.5f / 127)));
  request.set_edge_type(0);
  request.set_column(v1::STORED_COLUMN_EDGE_ATTR);
  const auto attr = Call(BeginReadColumn, request, rows, *graph).value();
  EXPECT_THAT(Take<float>(attr, 0, 2),
              ElementsAre(127 * (102.0f / 127), 127 * (104.0f / 127)));
  request.set_node_type(0);
  request.set_column(v1::STORED_COLUMN_X);
  request.set_feature_dtype(static_cast<uint32_t>(FeatureDType::kInt8));
  const auto stored = Call(BeginReadColumn, request, rows, *graph).value();
  ASSERT_EQ(stored.payload.size(), 2 * (2 + sizeof(float)));
  EXPECT_THAT(Take<int8_t>(stored, 0, 4), ElementsAre(102, 127, 0, 127));
  EXPECT_THAT(Take<float>(stored, 4, 2), ElementsAre(scale, 0.5f / 127));
  request.set_feature_dtype(99);
  ExpectError(Call(BeginReadColumn, request, rows, *graph),
              absl::StatusCode::kInvalidArgument, "code 99");
  request.set_feature_dtype(0);
  limits_.max_reply_bytes = 4 * sizeof(float) - 1;
  ExpectError(Call(BeginReadColumn, request, rows, *graph),
              absl::StatusCode::kInvalidArgument, "ask for fewer");
}

// A reply with x in files lists what is to be read.
TEST_F(GraphReadsTest, FeaturesInFilesAreReadLater) {
  const TemporaryFolder folder;
  WriteGraphTo(Spec(), folder.File("graph"));
  const auto graph =
      Graph::Open(folder.File("graph"), {.features = FeatureMemory::kPaged});
  ASSERT_TRUE(graph.ok()) << graph.status();
  v1::ReadColumnRequest request;
  request.set_node_type(0);
  request.set_column(v1::STORED_COLUMN_X);
  request.set_num_rows(1);
  const auto reply =
      Call(BeginReadColumn, request, std::vector<uint64_t>{1}, **graph);
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->unread.columns.size(), 1);
  EXPECT_EQ(reply->unread.columns[0].file, (*graph)->nodes(0, 0)->x_file);
  EXPECT_THAT(reply->unread.rows, ElementsAre(1));
}

// As many steps as the slice says, and the same replies.
TEST_F(GraphReadsTest, ReadsAreCutIntoSteps) {
  slice_ = 1;
  EXPECT_THAT(Take<uint64_t>(LocateNodes({3, 0, 2, 1, 3}).value(), 0, 5),
              ElementsAre(3, 0, 1, 2, 3));
  EXPECT_EQ(steps_, 5u);
  EXPECT_THAT(Take<uint64_t>(LocateEdges({5, 0, 4}).value(), 0, 3),
              ElementsAre(0, 4, 0));
  EXPECT_EQ(steps_, 3u);
  EXPECT_THAT(
      Take<float>(Read(true, v1::STORED_COLUMN_X, {1, 0, 1}).value(), 0, 6),
      ElementsAre(2, 2.5, 0, 0.5, 2, 2.5));
  EXPECT_EQ(steps_, 3u);
  EXPECT_THAT(
      Take<int64_t>(
          Read(false, v1::STORED_COLUMN_TIME, {0, 1, 2, 3, 4}).value(), 0, 5),
      ElementsAre(10, 30, 40, 60, 50));
  EXPECT_GE(steps_, 5u);
  EXPECT_THAT(Take<uint64_t>(FindEdges({4, 0, 1}).value(), 0, 3),
              ElementsAre(3, 2, 0));
  EXPECT_EQ(steps_, 3u);
  EXPECT_THAT(Take<uint64_t>(Degrees(true, {0, 1, 2, 3}).value(), 0, 4),
              ElementsAre(1, 2, 2, 1));
  EXPECT_EQ(steps_, 4u);
}

// A request of a few hundred bytes: each time is looked for in a row of 30,000
// edges.
TEST_F(GraphReadsTest, TimesOfAHubAreSearchedInBoundedSteps) {
  constexpr int64_t kEdges = 30'000;
  GraphSpec spec;
  spec.num_nodes = 2;
  for (int64_t e = 0; e < kEdges; ++e) {
    spec.edges.push_back({1, 0});
    spec.edge_time.push_back(kEdges - e);
  }
  const auto graph = BuildGraph(spec);
  const auto& ids = graph->edges(0, 0)->edge_id;
  v1::ReadColumnRequest request;
  request.set_edge_type(0);
  request.set_column(v1::STORED_COLUMN_TIME);
  request.set_num_rows(100);
  std::vector<uint64_t> rows;
  for (uint64_t i = 0; i < 100; ++i) rows.push_back(i * 299);
  const auto reply = Call(BeginReadColumn, request, rows, *graph).value();
  const auto times = Take<int64_t>(reply, 0, rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(times[i], kEdges - static_cast<int64_t>(ids[rows[i]]));
  }
  EXPECT_GE(steps_, 10u);
  EXPECT_LE(most_spent_, WorkSlice::kLimit + WorkSlice::kLimit / 10);
}

TEST_F(GraphReadsTest, FilesOfHotListsInPieces) {
  const HotList& list = *lists_[0];
  const std::string digest(list.digest().begin(), list.digest().end());
  for (const HotList::File& file : list.files()) {
    for (uint64_t from = 0; from <= file.bytes.size(); from += 7) {
      const uint64_t n = std::min<uint64_t>(20, file.bytes.size() - from);
      const auto reply = ReadHotList(file.name, from, n, digest);
      ASSERT_TRUE(reply.ok()) << reply.status();
      EXPECT_EQ(Take<uint8_t>(*reply, 0, n),
                std::vector<uint8_t>(file.bytes.begin() + from,
                                     file.bytes.begin() + from + n));
    }
  }
}

TEST_F(GraphReadsTest, OtherReadsOfHotListsAreRefused) {
  const HotList& list = *lists_[0];
  const std::string digest(list.digest().begin(), list.digest().end());
  const auto refused = [&](const auto& reply, absl::StatusCode code,
                           const char* what) {
    EXPECT_EQ(reply.status().code(), code) << reply.status();
    EXPECT_THAT(reply.status().ToString(), HasSubstr(what));
  };
  refused(ReadHotList("list.json", 0, 1, digest.substr(1)),
          absl::StatusCode::kNotFound, "no hot list of this digest");
  refused(ReadHotList("list.json", 0, 1, std::string(32, 'x')),
          absl::StatusCode::kNotFound, "no hot list of this digest");
  refused(ReadHotList("../graph.json\n", 0, 1, digest),
          absl::StatusCode::kNotFound, "has no file '../graph.json\\n'");
  const uint64_t size = list.files()[0].bytes.size();
  refused(ReadHotList("list.json", size + 1, 0, digest),
          absl::StatusCode::kOutOfRange, "which has");
  refused(ReadHotList("list.json", 1, size, digest),
          absl::StatusCode::kOutOfRange, "which has");
  refused(ReadHotList("list.json", UINT64_MAX, UINT64_MAX, digest),
          absl::StatusCode::kOutOfRange, "which has");
  limits_.max_reply_bytes = 10;
  refused(ReadHotList("list.json", 0, 11, digest),
          absl::StatusCode::kInvalidArgument, "exceed a reply's 10 bytes");
}

}  // namespace
}  // namespace tributary
