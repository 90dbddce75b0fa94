// The loader on a typed graph: inputs and tensors by type.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "common/text/status.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/writer/writer.h"
#include "trainer_client/core/batch/hetero_batch.h"
#include "trainer_client/core/dist_link_neighbor_loader.h"
#include "trainer_client/core/dist_neighbor_loader.h"
#include "trainer_client/embedded/embedded_server.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

EdgeContent Edges(const std::string& rel, int src, int dst, EdgeRows rows,
                  std::shared_ptr<const RowSource> attr = nullptr) {
  constexpr const char* kNames[] = {"author", "paper"};
  constexpr int64_t kNodes[] = {3, 4};
  EdgeContent edges;
  edges.src = kNames[src];
  edges.rel = rel;
  edges.dst = kNames[dst];
  edges.src_type = src;
  edges.dst_type = dst;
  edges.in_edges =
      Adjacency::FromRows(std::move(rows), kNodes[src], kNodes[dst], {})
          .value();
  edges.edge_attr = std::move(attr);
  return edges;
}

// Authors 0 1 2 write papers: 0>3 2>3 1>0 (attributes 0.5 1.5 2.5); papers
// cite papers: 1>3 2>1. Authors have features 10 20 30, papers labels 4 5 6 7.
GraphContent Papers() {
  GraphContent content;
  content.name = "papers";
  content.heterogeneous = true;
  content.node_types.push_back(
      {"author", 3,
       std::make_shared<StoredRows<float>>(ColumnSchema{DType::kFloat32, 1},
                                           std::vector<float>{10, 20, 30}),
       nullptr});
  content.node_types.push_back(
      {"paper", 4, nullptr,
       std::make_shared<StoredRows<int64_t>>(
           ColumnSchema{DType::kInt64, 0}, std::vector<int64_t>{4, 5, 6, 7})});
  content.edge_types.push_back(Edges(
      "writes", 0, 1, {{0, 2, 1}, {3, 3, 0}},
      std::make_shared<StoredRows<float>>(ColumnSchema{DType::kFloat32, 1},
                                          std::vector<float>{0.5, 1.5, 2.5})));
  content.edge_types.push_back(Edges("cites", 1, 1, {{1, 2}, {3, 1}}));
  content.splits.push_back({"time", "paper", "train", {3, 0}});
  return content;
}

class TypedTest : public ::testing::Test {
 protected:
  TypedTest() {
    EXPECT_TRUE(WriteGraph(Papers(), {2, "test", {{0, 1, 0}, {1, 0, 1, 0}}},
                           folder_.File("graph"),
                           {.made_by = "test", .flush = false, .degrees = true})
                    .ok());
    EmbeddedServerOptions options;
    options.graph = folder_.File("graph");
    options.num_threads = 2;
    server_ = EmbeddedServer::Start(options).value();
    worker_.servers = server_->address().ToString();
    worker_.rpc_timeout = absl::Seconds(30);
    worker_.buffer_size = uint64_t{4} << 20;
    sampling_.num_neighbors = {-1, -1};
    sampling_.input_type = "paper";
    sampling_.input_split = "train";
    sampling_.batch_size = 2;
    sampling_.shuffle = ShuffleMode::kNone;
  }

  auto Create() {
    return DistNeighborLoader::Create(
        sampling_, worker_, {server_->executor(), server_->transport()});
  }
  // The first batch, whose memory the fixture keeps.
  absl::StatusOr<HeteroBatch> First() {
    ASSIGN_OR_RETURN(loader_, Create());
    RETURN_IF_ERROR(loader_->StartEpoch(0));
    ASSIGN_OR_RETURN(lease_, loader_->Next());
    if (!lease_.has_value()) return absl::NotFoundError("no batch");
    return ToHeteroBatch(lease_->view(), loader_->schema());
  }
  void ExpectRefused(const std::string& what) {
    const absl::Status status = Create().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(what));
  }

  TemporaryFolder folder_;
  std::unique_ptr<EmbeddedServer> server_;
  NeighborLoaderOptions sampling_;
  RemoteDistSamplingWorkerOptions worker_;
  std::unique_ptr<DistLoader> loader_;
  std::optional<BatchLease> lease_;
};

// Each row's one value is its largest: 127 of x / 127.
TEST_F(TypedTest, FeaturesOfInt8HaveTheirScalesByType) {
  sampling_.feature_dtype = FeatureDType::kInt8;
  const auto batch = First();
  ASSERT_TRUE(batch.ok()) << batch.status();
  const HeteroNodes& authors = batch->nodes.find("author")->second;
  EXPECT_THAT(authors.x->As<int8_t>(), ElementsAre(127, 127, 127));
  EXPECT_THAT(authors.x_scale->As<float>(),
              ElementsAre(10.0f / 127, 30.0f / 127, 20.0f / 127));
  EXPECT_FALSE(batch->nodes.find("paper")->second.x_scale.has_value());
  const HeteroEdges& writes = batch->edges.find("author,writes,paper")->second;
  EXPECT_THAT(writes.edge_attr->As<int8_t>(), ElementsAre(127, 127, 127));
  EXPECT_THAT(writes.edge_attr_scale->As<float>(),
              ElementsAre(0.5f / 127, 1.5f / 127, 2.5f / 127));
}

// Papers 3 0 1 2, authors 0 2 1.
TEST_F(TypedTest, DegreesByEdgeType) {
  sampling_.collect_degrees = true;
  const auto batch = First();
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_THAT(batch->nodes.find("paper")->second.n_id, ElementsAre(3, 0, 1, 2));
  const HeteroEdges& writes = batch->edges.find("author,writes,paper")->second;
  EXPECT_THAT(writes.in_degree->As<int64_t>(), ElementsAre(2, 1, 0, 0));
  EXPECT_THAT(writes.out_degree->As<int64_t>(), ElementsAre(1, 1, 1));
  const HeteroEdges& cites = batch->edges.find("paper,cites,paper")->second;
  EXPECT_THAT(cites.in_degree->As<int64_t>(), ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(cites.out_degree->As<int64_t>(), ElementsAre(0, 0, 1, 1));
}

TEST_F(TypedTest, EdgesWithoutTheirIds) {
  sampling_.omit_edge_ids = true;
  const auto batch = First();
  ASSERT_TRUE(batch.ok()) << batch.status();
  const HeteroEdges& writes = batch->edges.find("author,writes,paper")->second;
  EXPECT_THAT(writes.e_id, IsEmpty());
  EXPECT_EQ(writes.src.size(), 3);
  EXPECT_EQ(writes.dst.size(), 3);
  EXPECT_THAT(writes.edge_attr->As<float>(), ElementsAre(0.5, 1.5, 2.5));
}

// Papers have labels alone, and what they cite nothing.
TEST_F(TypedTest, APrecisionIsForTypesThatAreSampled) {
  sampling_.num_neighbors = {0, 0};
  sampling_.num_neighbors.by_edge_type = {{"paper,cites,paper", {2, 2}}};
  sampling_.feature_dtype = FeatureDType::kFloat16;
  ExpectRefused(
      "feature_dtype: float16, but what is collected has no floating features: "
      "there are none; allowed: stored");
}

TEST_F(TypedTest, ABatchByItsTypes) {
  const auto batch = First();
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->input_type, "paper");
  EXPECT_EQ(batch->batch_size, 2);
  EXPECT_THAT(batch->input_id, ElementsAre(0, 1));
  EXPECT_THAT(batch->seed_index, ElementsAre(0, 1));

  ASSERT_EQ(batch->nodes.size(), 2);
  const HeteroNodes& papers = batch->nodes.find("paper")->second;
  EXPECT_THAT(papers.n_id, ElementsAre(3, 0, 1, 2));
  EXPECT_THAT(papers.num_sampled_nodes, ElementsAre(2, 1, 1));
  EXPECT_FALSE(papers.x.has_value());
  EXPECT_THAT(papers.y->As<int64_t>(), ElementsAre(7, 4, 5, 6));
  const HeteroNodes& authors = batch->nodes.find("author")->second;
  EXPECT_THAT(authors.n_id, ElementsAre(0, 2, 1));
  EXPECT_THAT(authors.num_sampled_nodes, ElementsAre(0, 3, 0));
  EXPECT_THAT(authors.x->As<float>(), ElementsAre(10, 30, 20));

  ASSERT_EQ(batch->edges.size(), 2);
  const HeteroEdges& writes = batch->edges.find("author,writes,paper")->second;
  EXPECT_THAT(writes.src, ElementsAre(0, 1, 2));
  EXPECT_THAT(writes.dst, ElementsAre(0, 0, 1));
  EXPECT_THAT(writes.e_id, ElementsAre(0, 1, 2));
  EXPECT_THAT(writes.num_sampled_edges, ElementsAre(3, 0));
  EXPECT_THAT(writes.edge_attr->As<float>(), ElementsAre(0.5, 1.5, 2.5));
  const HeteroEdges& cites = batch->edges.find("paper,cites,paper")->second;
  EXPECT_THAT(cites.src, ElementsAre(2, 3));
  EXPECT_THAT(cites.dst, ElementsAre(0, 2));
  EXPECT_THAT(cites.num_sampled_edges, ElementsAre(1, 1));
  EXPECT_FALSE(cites.edge_attr.has_value());
}

// PyG's input_nodes=("author", [1, 1, 0]); one edge type in the second hop.
// Links author > paper, with a negative destination for each.
TEST_F(TypedTest, LinksByTheirTypes) {
  LinkNeighborLoaderOptions options;
  options.source = {2, 0};
  options.destination = {3, 3};
  options.edge_type = "author,writes,paper";
  options.edge_label = {0, 5};
  options.neg_sampling = {NegativeMode::kDestination, 1};
  options.neighbors.num_neighbors = {1};
  options.neighbors.batch_size = 2;
  options.neighbors.shuffle = ShuffleMode::kNone;
  auto loader = DistLinkNeighborLoader::Create(
      options, worker_, {server_->executor(), server_->transport()});
  ASSERT_TRUE(loader.ok()) << loader.status();
  ASSERT_TRUE((*loader)->StartEpoch(0).ok());
  auto next = (*loader)->Next();
  ASSERT_TRUE(next.ok() && next->has_value()) << next.status();
  auto batch = ToHeteroBatch((*next)->view(), (*loader)->schema());
  ASSERT_TRUE(batch.ok()) << batch.status();
  ASSERT_EQ(batch->links.size(), 1u);
  const HeteroLinks& links = batch->links.at("author,writes,paper");
  EXPECT_THAT(links.input_id, ElementsAre(0, 1));
  const auto index = links.edge_label_index->As<int32_t>();
  ASSERT_EQ(index.size(), 8u);
  // Authors 2 and 0, again as the negatives' sources; paper 3 twice.
  EXPECT_THAT(index.first(6), ElementsAre(0, 1, 0, 1, 0, 0));
  EXPECT_THAT(batch->nodes["author"].n_id.first(2), ElementsAre(2, 0));
  EXPECT_EQ(batch->nodes["paper"].n_id[0], 3);
  EXPECT_THAT(links.edge_label->As<int64_t>(), ElementsAre(1, 6, 0, 0));
}

// Two negatives of the user's own for each link.
TEST_F(TypedTest, LinksWithTheirNegatives) {
  LinkNeighborLoaderOptions options;
  options.source = {2, 0};
  options.destination = {3, 3};
  options.edge_type = "author,writes,paper";
  options.neg_sampling = {NegativeMode::kTriplet, 2};
  options.neg_destination = {1, 0, 3, 1};
  options.neighbors.num_neighbors = {0};
  options.neighbors.batch_size = 2;
  options.neighbors.shuffle = ShuffleMode::kNone;
  auto loader = DistLinkNeighborLoader::Create(
      options, worker_, {server_->executor(), server_->transport()});
  ASSERT_TRUE(loader.ok()) << loader.status();
  ASSERT_TRUE((*loader)->StartEpoch(0).ok());
  auto next = (*loader)->Next();
  ASSERT_TRUE(next.ok() && next->has_value()) << next.status();
  const BatchView& view = (*next)->view();
  const TensorView* negatives = view.Find("dst_neg_index/paper");
  const TensorView* papers = view.Find("n_id/paper");
  ASSERT_TRUE(negatives != nullptr && papers != nullptr);
  EXPECT_THAT(papers->As<int64_t>(), ElementsAre(3, 1, 0));
  EXPECT_THAT(negatives->As<int32_t>(), ElementsAre(1, 2, 0, 1));
}

// Two lists: links that authors wrote, and that papers cite, in one batch.
TEST_F(TypedTest, LinksOfSeveralEdgeTypes) {
  LinkNeighborLoaderOptions options;
  EdgeTypeLinks& cites = options.by_edge_type.emplace_back();
  cites.edge_type = "paper,cites,paper";
  cites.source = {2, 0};
  cites.destination = {1, 0};
  cites.neg_destination = {3, 2};
  EdgeTypeLinks& writes = options.by_edge_type.emplace_back();
  writes.edge_type = "author,writes,paper";
  writes.source = {2, 0, 1};
  writes.destination = {3, 3, 1};
  writes.neg_destination = {1, 0, 2};
  options.neg_sampling = {NegativeMode::kTriplet, 1};
  options.neighbors.num_neighbors = {0};
  options.neighbors.batch_size = 4;
  options.neighbors.shuffle = ShuffleMode::kNone;
  auto loader = DistLinkNeighborLoader::Create(
      options, worker_, {server_->executor(), server_->transport()});
  ASSERT_TRUE(loader.ok()) << loader.status();
  EXPECT_EQ((*loader)->num_inputs(), 5u);
  ASSERT_TRUE((*loader)->StartEpoch(0).ok());
  auto next = (*loader)->Next();
  ASSERT_TRUE(next.ok() && next->has_value()) << next.status();
  auto batch = ToHeteroBatch((*next)->view(), (*loader)->schema());
  ASSERT_TRUE(batch.ok()) << batch.status();
  ASSERT_EQ(batch->links.size(), 2u);
  // Authors 2 0 1; papers 3 1, then negatives 0 2; then of citations 2 > 1, 3.
  EXPECT_THAT(batch->nodes["author"].n_id, ElementsAre(2, 0, 1));
  EXPECT_THAT(batch->nodes["paper"].n_id, ElementsAre(3, 1, 0, 2));
  const HeteroLinks& written = batch->links.at("author,writes,paper");
  EXPECT_THAT(written.input_id, ElementsAre(0, 1, 2));
  EXPECT_THAT(written.src_index->As<int32_t>(), ElementsAre(0, 1, 2));
  EXPECT_THAT(written.dst_pos_index->As<int32_t>(), ElementsAre(0, 0, 1));
  EXPECT_THAT(written.dst_neg_index->As<int32_t>(), ElementsAre(1, 2, 3));
  const HeteroLinks& cited = batch->links.at("paper,cites,paper");
  EXPECT_THAT(cited.input_id, ElementsAre(0));
  EXPECT_THAT(cited.src_index->As<int32_t>(), ElementsAre(3));
  EXPECT_THAT(cited.dst_pos_index->As<int32_t>(), ElementsAre(1));
  EXPECT_THAT(cited.dst_neg_index->As<int32_t>(), ElementsAre(0));
  next = (*loader)->Next();
  ASSERT_TRUE(next.ok() && next->has_value()) << next.status();
  batch = ToHeteroBatch((*next)->view(), (*loader)->schema());
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_THAT(batch->links.at("author,writes,paper").input_id, IsEmpty());
  EXPECT_THAT(batch->links.at("paper,cites,paper").input_id, ElementsAre(1));

  options.edge_type = "author,writes,paper";
  loader = DistLinkNeighborLoader::Create(
      options, worker_, {server_->executor(), server_->transport()});
  EXPECT_THAT(std::string(loader.status().message()),
              HasSubstr("by_edge_type is given beside links of one edge type"));
}

TEST_F(TypedTest, IdsOfAType) {
  sampling_.input_split.clear();
  sampling_.input_type = "author";
  sampling_.input_nodes = {1, 1, 0};
  sampling_.batch_size = 3;
  sampling_.num_neighbors = {0, 0};
  sampling_.num_neighbors.by_edge_type = {{"author,writes,paper", {0, 2}}};
  const auto batch = First();
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->input_type, "author");
  EXPECT_EQ(batch->batch_size, 2);
  EXPECT_THAT(batch->seed_index, ElementsAre(0, 0, 1));
  EXPECT_THAT(batch->nodes.find("author")->second.n_id, ElementsAre(1, 0));
  // Planned and never reached: nothing leads to an author.
  EXPECT_THAT(batch->nodes.find("paper")->second.n_id, IsEmpty());
  ASSERT_EQ(batch->edges.size(), 1);
  EXPECT_THAT(batch->edges.find("author,writes,paper")->second.e_id, IsEmpty());
}

TEST_F(TypedTest, TypesMustBeTheGraphs) {
  sampling_.input_type.clear();
  ExpectRefused("graph 'papers' has 2 node types; name one: author, paper");
  sampling_.input_type = "papre";
  ExpectRefused("node type 'papre' is not in graph 'papers'; allowed: author");
  sampling_.input_split.clear();
  sampling_.input_nodes = {0};
  ExpectRefused("node type 'papre' is not in graph 'papers'; allowed: author");
  sampling_.input_type = "author";
  sampling_.input_nodes = {3};
  ExpectRefused(
      "input_nodes[0] is 3; allowed: 0 to 2, the original ids of "
      "node type author");
  sampling_.input_nodes = {2};
  sampling_.num_neighbors.by_edge_type = {{"paper,writes,author", {1, 1}}};
  ExpectRefused(
      "edge type 'paper,writes,author' is not in graph 'papers'; "
      "allowed: author,writes,paper paper,cites,paper");
  sampling_.num_neighbors.by_edge_type = {{"author,writes,paper", {1}}};
  ExpectRefused("author,writes,paper has 1 hops, others 2");
}

TEST_F(TypedTest, WhoTakesHomogeneousGraphsOnlyIsToldSo) {
  sampling_.homogeneous = true;
  ExpectRefused(
      "graph papers is typed (heterogeneous); allowed here: "
      "homogeneous graphs");
  sampling_.input_type.clear();
  ExpectRefused("graph papers is typed");
}

TEST_F(TypedTest, OnlyBatchesOfTypedGraphsHaveTypes) {
  auto loader = Create();
  ASSERT_TRUE(loader.ok()) << loader.status();
  ASSERT_TRUE((*loader)->StartEpoch(0).ok());
  auto next = (*loader)->Next();
  ASSERT_TRUE(next.ok() && next->has_value()) << next.status();
  const BatchView& view = (*next)->view();
  GraphSchema schema = (*loader)->schema();
  schema.heterogeneous = false;
  EXPECT_EQ(ToHeteroBatch(view, schema).status().code(),
            absl::StatusCode::kInvalidArgument);
  schema.heterogeneous = true;
  schema.node_types.pop_back();  // paper: another graph's batch
  EXPECT_EQ(ToHeteroBatch(view, schema).status().code(),
            absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace tributary
