// Pins the identities of sessions of every kind: they name sessions on the wire
// and in checkpoints, so the same options must give the same bytes for good.
// The values were taken from the builder as it was before it had kinds.
#include <gtest/gtest.h>

#include <utility>

#include "partition/format/testing/graph_builder.h"
#include "trainer_client/core/session/session_builder.h"

namespace tributary {
namespace {

std::shared_ptr<const AcceptedGraph> Triangle() {
  const auto graph = BuildGraph({.num_nodes = 3,
                                 .edges = {{0, 1}, {1, 2}, {2, 0}},
                                 .edge_time = {1, 2, 3},
                                 .degrees = true});
  return std::make_shared<AcceptedGraph>(
      AcceptedGraph{graph->schema_json(), graph->schema()});
}

constexpr char kNodes[] =
    "53afea624a503a0bf39e469e8979f67fcb1890ea0392adf9e155124f5ede9ebb";

// Of batches of 2, with the seed 11; nodes are 2, 0, 1.
void ExpectSession(KindOptions kind, const std::string& identity,
                   const std::string& inputs, uint64_t max_batch_bytes,
                   std::vector<double> weights = {}, bool degrees = false,
                   bool omit_edge_ids = false) {
  SessionOptions options(CommonLoaderOptions(), std::move(kind));
  if (!std::holds_alternative<LinkOptions>(options.kind)) {
    options.input_nodes = {2, 0, 1};
  }
  options.input_weight = std::move(weights);
  options.collect_degrees = degrees;
  options.omit_edge_ids = omit_edge_ids;
  options.batch_size = 2;
  options.random_seed = 11;
  EXPECT_TRUE(CheckSessionOptions(options).ok());
  const auto session = MakeSession(options, Triangle());
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ(ToHex(session->identity), identity);
  EXPECT_EQ(ToHex(session->inputs), inputs);
  EXPECT_EQ(session->max_batch_bytes, max_batch_bytes);
}

TEST(SessionDigests, Neighbors) {
  ExpectSession(
      NeighborOptions{.num_neighbors = {2, -1}},
      "e904b6973570ec461be09c40e0d0fc46276369c09357c60a10a85072d713942c",
      kNodes, 3178);
  ExpectSession(
      NeighborOptions{.num_neighbors = {{2, -1}, {{"node,to,node", {3, 1}}}},
                      .replace = true,
                      .expand_all = true,
                      .draws = {.time = TimeMode::kEdge, .strict = true},
                      .input_time = {7}},
      "50c7126d830bcd4a8bd6b65659bff68486d48f5ae190847331e889d0d4d33cb1",
      "ce7669fc976383ae1f83f5c3a2af307a961942b0ca6e6e47309b9d141ffbc8aa", 3536,
      {1, 2, 3});
  ExpectSession(
      NeighborOptions{.num_neighbors = {2},
                      .draws = {.disjoint = true},
                      .subgraph = {.type = SubgraphType::kInduced}},
      "d1d3a4ebf6460b287f51a9847505cde00dd25bfdf6a6e03f635ca24dbb864b82",
      kNodes, 3424);
}

// Of the first session above, but for collect_degrees.
TEST(SessionDigests, Degrees) {
  ExpectSession(
      NeighborOptions{.num_neighbors = {2, -1}},
      "25037acffa2c891b9b9d9b1a1339611e0694f5942a6a2f02e5419ef04b5b3289",
      kNodes, 3178 + 460, {}, true);
}

// Likewise, but for omit_edge_ids: the graph has 3 edges.
TEST(SessionDigests, WithoutEdgeIds) {
  ExpectSession(
      NeighborOptions{.num_neighbors = {2, -1}},
      "72052dbdd87a62b0818a469c257da86c927dff99d9f0c8d7827b6ba9f81f3a9f",
      kNodes, 3178 - 6 * 8, {}, false, true);
}

TEST(SessionDigests, OtherKindsOfNodes) {
  ExpectSession(
      WalkOptions{.walk_length = 4,
                  .walks_per_node = 2,
                  .restart_prob = 0.25,
                  .p = 0.5},
      "d6321fb27dc5c073551ba3baa00560ca4838d2a7ede2975ff0b0b530fa4d8a9f",
      kNodes, 3408);
  ExpectSession(
      PprOptions{.top_k = 3},
      "f33f46bcea418d51a5dec0b54dc0f353e2640175af5460265237e48d3bb6a837",
      kNodes, 2776);
  ExpectSession(
      LayerwiseOptions{.nodes_per_layer = {4, 2},
                       .importance = LayerImportance::kFastGcn},
      "ec631ded6ff858461b95cb1664d2dfc859b32e65f5e59d6b166ab964b210a33b",
      kNodes, 3920);
}

TEST(SessionDigests, Links) {
  LinkOptions link;
  link.neighbors.num_neighbors = {2, 1};
  link.lists.resize(1);
  link.lists[0].source = {0, 1, 2};
  link.lists[0].destination = {1, 2, 0};
  link.lists[0].edge_id = {0, 1, 2};
  link.lists[0].edge_label = {0, 1, 2};
  link.negatives = {
      .mode = NegativeMode::kBinary, .amount = 2, .degree_power = 0.75};
  link.exclude = ExcludeMode::kSelf;
  ExpectSession(
      link, "fb2ebe6b7841c6ca8209a5cce88245f7575f0524e402cd30fbed2c987ead8819",
      "1e90ef5fb89ea86a257968e8d9e26dcd0e0ea96cfeacf6174d15d4188733cf96", 5330);
  link.lists[0].edge_label.clear();
  link.lists[0].edge_label_time = {5};
  link.lists[0].neg_destination = {0, 1, 2};
  link.neighbors.draws.time = TimeMode::kEdge;
  link.negatives = {.mode = NegativeMode::kTriplet, .amount = 1};
  ExpectSession(
      link, "44dd5430265b021dab6c5e7e88049cf26b27d7d2e6119307d7446ac90bbc027c",
      "be8b705762b9e4b69c969d6a79ddebf3ab8b0a817472f0316556ea213de99cdc", 5640);
}

}  // namespace
}  // namespace tributary
