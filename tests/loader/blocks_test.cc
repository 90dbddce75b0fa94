// Batches as DGL's blocks, with expected values written out.
#include "trainer_client/core/batch/blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "partition/format/testing/graph_builder.h"
#include "partition/format/testing/seven_nodes.h"
#include "partition/pipeline/inputs/out_edges.h"
#include "partition/writer/writer.h"
#include "trainer_client/core/dist_loader.h"
#include "trainer_client/embedded/embedded_server.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class BlocksTest : public ::testing::Test {
 protected:
  BlocksTest() {
    worker_.rpc_timeout = absl::Seconds(30);
    worker_.buffer_size = uint64_t{4} << 20;
    sampling_.num_neighbors = {-1, -1};
    sampling_.input_nodes = {1};
    sampling_.expand_all = true;
  }

  void Serve(const GraphContent& content, NodePlan plan) {
    ASSERT_TRUE(WriteGraph(content, std::move(plan), folder_.File("graph"),
                           {.made_by = "test", .flush = false})
                    .ok());
    EmbeddedServerOptions options;
    options.graph = folder_.File("graph");
    options.num_threads = 1;
    server_ = EmbeddedServer::Start(options).value();
    worker_.servers = server_->address().ToString();
  }

  // Takes the only batch of a session of neighbours, or of another kind.
  void Sample() { Sample(SessionOptions(sampling_, sampling_)); }
  void Sample(const SessionOptions& options) {
    auto loader = DistLoader::Create(
        options, worker_, {server_->executor(), server_->transport()});
    ASSERT_TRUE(loader.ok()) << loader.status();
    ASSERT_TRUE((*loader)->StartEpoch(0).ok());
    auto next = (*loader)->Next();
    ASSERT_TRUE(next.ok() && next->has_value()) << next.status();
    lease_.emplace(*std::move(*next));
    schema_ = (*loader)->schema();
  }

  TemporaryFolder folder_;
  std::unique_ptr<EmbeddedServer> server_;
  RemoteDistSamplingWorkerOptions worker_;
  NeighborLoaderOptions sampling_;
  std::optional<BatchLease> lease_;
  GraphSchema schema_;
};

// Edges 0 to 11, with their ids as attributes.
GraphSpec Seven() {
  GraphSpec spec{
      .num_nodes = 7, .edges = SevenNodesEdges(), .num_partitions = 2};
  for (int i = 0; i < 12; ++i) {
    spec.edge_attr.push_back(static_cast<float>(i));
  }
  return spec;
}

TEST_F(BlocksTest, TheFirstLayersFirst) {
  Serve(MakeContent(Seven()), {2, "test", {{0, 1, 0, 1, 0, 1, 0}}});
  Sample();
  const auto blocks = ToBlocks(lease_->view(), schema_);
  ASSERT_TRUE(blocks.ok()) << blocks.status();
  ASSERT_EQ(blocks->size(), 2);
  const auto& nodes = (*blocks)[0].nodes.find("node")->second;
  EXPECT_THAT(nodes.src, ElementsAre(1, 0, 3, 2, 4));
  EXPECT_THAT(nodes.dst, ElementsAre(1, 0, 3));
  const auto& edges = (*blocks)[0].edges.find("node,to,node")->second;
  EXPECT_THAT(edges.src, ElementsAre(1, 2, 0, 3, 3, 2, 4, 1, 0, 4));
  EXPECT_THAT(edges.dst, ElementsAre(0, 0, 1, 1, 1, 1, 1, 2, 2, 2));
  EXPECT_THAT(edges.e_id, ElementsAre(5, 6, 0, 1, 4, 2, 3, 10, 11, 9));
  EXPECT_THAT(edges.edge_attr->As<float>(),
              ElementsAre(5, 6, 0, 1, 4, 2, 3, 10, 11, 9));

  const auto& last_nodes = (*blocks)[1].nodes.find("node")->second;
  EXPECT_THAT(last_nodes.src, ElementsAre(1, 0, 3));
  EXPECT_THAT(last_nodes.dst, ElementsAre(1));
  const auto& last_edges = (*blocks)[1].edges.find("node,to,node")->second;
  EXPECT_THAT(last_edges.src, ElementsAre(1, 2));
  EXPECT_THAT(last_edges.dst, ElementsAre(0, 0));
  EXPECT_THAT(last_edges.e_id, ElementsAre(5, 6));
  EXPECT_THAT(last_edges.edge_attr->As<float>(), ElementsAre(5, 6));
}

TEST_F(BlocksTest, OfBatchesWithoutEdgeIds) {
  Serve(MakeContent(Seven()), {2, "test", {{0, 1, 0, 1, 0, 1, 0}}});
  sampling_.omit_edge_ids = true;
  Sample();
  const auto blocks = ToBlocks(lease_->view(), schema_);
  ASSERT_TRUE(blocks.ok()) << blocks.status();
  const auto& edges = (*blocks)[1].edges.find("node,to,node")->second;
  EXPECT_THAT(edges.src, ElementsAre(1, 2));
  EXPECT_THAT(edges.e_id, IsEmpty());
  EXPECT_THAT(edges.edge_attr->As<float>(), ElementsAre(5, 6));
}

// Edges stored for the other direction are no edge type of the batch.
TEST_F(BlocksTest, OutEdgesThatAreStoredAreNotSeen) {
  GraphContent content = MakeContent(Seven());
  ASSERT_TRUE(AddOutEdges(&content).ok());
  Serve(content, {2, "test", {{0, 1, 0, 1, 0, 1, 0}}});
  Sample();
  const auto blocks = ToBlocks(lease_->view(), schema_);
  ASSERT_TRUE(blocks.ok()) << blocks.status();
  ASSERT_EQ(blocks->back().edges.size(), 1);
  EXPECT_THAT(blocks->back().edges.at("node,to,node").e_id, ElementsAre(5, 6));
}

// Such edges end at nodes that are not expanded yet.
TEST_F(BlocksTest, OutEdgesMakeNone) {
  GraphContent content = MakeContent(Seven());
  ASSERT_TRUE(AddOutEdges(&content).ok());
  Serve(content, {2, "test", {{0, 1, 0, 1, 0, 1, 0}}});
  sampling_.draws.edge_dir = EdgeDirection::kOut;
  Sample();
  EXPECT_THAT(lease_->view().Find("e_id")->As<int64_t>(),
              ElementsAre(0, 11, 0, 11, 5, 10, 2, 6));
  const absl::Status status = ToBlocks(lease_->view(), schema_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("edge_dir in"));
}

// Users 0 1 buy items: 0>1 1>1; item 0 is like item 1, 1 like 0.
GraphContent Shop() {
  GraphContent content;
  content.name = "shop";
  content.heterogeneous = true;
  content.node_types.push_back({"item", 2});
  content.node_types.push_back({"user", 2});
  const auto add = [&](const char* src, const char* rel, int src_type,
                       EdgeRows rows) {
    EdgeContent edges;
    edges.src = src;
    edges.rel = rel;
    edges.dst = "item";
    edges.src_type = src_type;
    edges.in_edges = Adjacency::FromRows(std::move(rows), 2, 2, {}).value();
    content.edge_types.push_back(std::move(edges));
  };
  add("item", "like", 0, {{0, 1}, {1, 0}});
  add("user", "buys", 1, {{0, 1}, {1, 1}});
  return content;
}

TEST_F(BlocksTest, OfTypedGraphsByType) {
  Serve(Shop(), {1, "test", {{0, 0}, {0, 0}}});
  sampling_.input_type = "item";
  Sample();
  const auto blocks = ToBlocks(lease_->view(), schema_);
  ASSERT_TRUE(blocks.ok()) << blocks.status();
  ASSERT_EQ(blocks->size(), 2);
  const Block& first = (*blocks)[0];
  EXPECT_THAT(first.nodes.find("item")->second.src, ElementsAre(1, 0));
  EXPECT_THAT(first.nodes.find("item")->second.dst, ElementsAre(1, 0));
  EXPECT_THAT(first.nodes.find("user")->second.src, ElementsAre(0, 1));
  EXPECT_THAT(first.nodes.find("user")->second.dst, ElementsAre(0, 1));
  const auto& like = first.edges.find("item,like,item")->second;
  EXPECT_THAT(like.src, ElementsAre(1, 0));
  EXPECT_THAT(like.dst, ElementsAre(0, 1));
  const Block& last = (*blocks)[1];
  EXPECT_THAT(last.nodes.find("user")->second.src, ElementsAre(0, 1));
  EXPECT_THAT(last.nodes.find("user")->second.dst, IsEmpty());
  EXPECT_THAT(last.edges.find("user,buys,item")->second.src, ElementsAre(0, 1));
  EXPECT_THAT(last.edges.find("user,buys,item")->second.dst, ElementsAre(0, 0));
}

TEST_F(BlocksTest, WalksHaveNone) {
  Serve(MakeContent(Seven()), {1, "test", {std::vector<uint16_t>(7, 0)}});
  Sample(SessionOptions(sampling_, WalkOptions{.walk_length = 2}));
  const absl::Status status = ToBlocks(lease_->view(), schema_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no blocks"));
}

}  // namespace
}  // namespace tributary
