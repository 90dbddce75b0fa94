#include "partition/pipeline/inputs/rmat/rmat.h"

#include <cmath>

#include "common/random/philox.h"
#include "gtest/gtest.h"
#include "partition/writer/content_digest.h"

namespace tributary {
namespace {

const RmatOptions kSmall{
    .scale = 8, .edges = 2000, .feat_dim = 5, .classes = 3, .random_seed = 4};

TEST(Rmat, IsAFunctionOfItsOptions) {
  const auto once = GenerateRmat(kSmall), again = GenerateRmat(kSmall);
  ASSERT_TRUE(once.ok() && again.ok()) << once.status();
  EXPECT_EQ(ComputeContentDigest(*once), ComputeContentDigest(*again));
  RmatOptions other = kSmall;
  other.random_seed = 5;
  EXPECT_NE(ComputeContentDigest(*GenerateRmat(other)),
            ComputeContentDigest(*once));
}

// The example of docs/graph-format.md, computed by another program.
TEST(Rmat, IsThatOfTheDocument) {
  const auto graph = GenerateRmat(
      {.scale = 3, .edges = 6, .feat_dim = 3, .classes = 4, .random_seed = 1});
  ASSERT_TRUE(graph.ok()) << graph.status();
  const std::pair<int64_t, int64_t> expected[] = {{7, 3}, {0, 2}, {7, 7},
                                                  {3, 3}, {7, 0}, {7, 7}};
  const Adjacency& in = graph->edge_types[0].in_edges;
  for (int64_t v = 0; v < 8; ++v) {
    for (uint64_t i = in.indptr()[v]; i < in.indptr()[v + 1]; ++i) {
      const InEdge edge = in.edge(i);
      EXPECT_EQ(std::pair(edge.neighbor, v), expected[edge.edge_id]);
    }
  }
  const NodeContent& nodes = graph->node_types[0];
  const std::vector<int64_t> ids = {0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<int64_t> labels(8);
  nodes.y->CopyRows(ids, reinterpret_cast<uint8_t*>(labels.data()));
  EXPECT_EQ(labels, (std::vector<int64_t>{2, 0, 2, 3, 2, 1, 1, 3}));
  std::vector<float> x(6);
  nodes.x->CopyRows({ids.data(), 2}, reinterpret_cast<uint8_t*>(x.data()));
  EXPECT_EQ(x,
            (std::vector<float>{0.10247290134429932f, -0.7916407585144043f,
                                1.6413350105285645f, 1.6556365489959717f,
                                -0.2535684108734131f, 0.42342984676361084f}));
  EXPECT_EQ(graph->splits[1].ids, std::vector<int64_t>{5});
}

// The columns of the same example.
TEST(Rmat, WeightsAndTimesAreThoseOfTheDocument) {
  const auto graph = GenerateRmat({.scale = 3,
                                   .edges = 6,
                                   .classes = 4,
                                   .random_seed = 1,
                                   .edge_weights = true,
                                   .edge_times = true,
                                   .node_times = true,
                                   .edge_masks = {"train", "test"}});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_TRUE(CheckContent(*graph).ok()) << CheckContent(*graph);
  const std::vector<int64_t> ids = {0, 1, 2, 3, 4, 5, 6, 7};
  const absl::Span<const int64_t> edge_ids(ids.data(), 6);
  std::vector<float> weights(6);
  const EdgeContent& edges = graph->edge_types[0];
  edges.weight->CopyRows(edge_ids, reinterpret_cast<uint8_t*>(weights.data()));
  EXPECT_EQ(weights,
            (std::vector<float>{0.03440260887145996f, 0.13642144203186035f,
                                0.5393853187561035f, 0.9179600477218628f,
                                0.2126731276512146f, 0.9765125513076782f}));
  std::vector<int64_t> times(6), node_times(8);
  edges.time->CopyRows(edge_ids, reinterpret_cast<uint8_t*>(times.data()));
  EXPECT_EQ(times, (std::vector<int64_t>{923179, 393127, 500257, 377269, 271438,
                                         104559}));
  graph->node_types[0].time->CopyRows(
      ids, reinterpret_cast<uint8_t*>(node_times.data()));
  EXPECT_EQ(node_times, (std::vector<int64_t>{416094, 321801, 223683, 342659,
                                              242742, 361507, 109595, 257762}));
  const auto mask = [&](const char* name) {
    std::vector<uint8_t> values(6);
    edges.masks.at(name)->CopyRows(edge_ids, values.data());
    return values;
  };
  EXPECT_EQ(mask("train"), (std::vector<uint8_t>{0, 1, 1, 1, 0, 1}));
  EXPECT_EQ(mask("test"), (std::vector<uint8_t>{0, 0, 1, 1, 1, 1}));
}

// 4 standard deviations of the share are 0.02.
TEST(Rmat, MasksAreOfHalfOfTheEdges) {
  const auto graph =
      GenerateRmat({.scale = 1, .edges = 10000, .edge_masks = {"some"}});
  ASSERT_TRUE(graph.ok()) << graph.status();
  int64_t masked = 0;
  for (int64_t e = 0; e < 10000; ++e) {
    uint8_t value;
    graph->edge_types[0].masks.at("some")->CopyRows({&e, 1}, &value);
    masked += value;
  }
  EXPECT_NEAR(static_cast<double>(masked) / 10000, 0.5, 0.02);
}

// Each edge is a function of its number: fewer edges are the first of them.
TEST(Rmat, FewerEdgesAreAPrefix) {
  RmatOptions fewer = kSmall;
  fewer.edges = 700;
  const auto all = GenerateRmat(kSmall), some = GenerateRmat(fewer);
  const auto edge_set = [](const GraphContent& content, int64_t below) {
    std::vector<std::tuple<int64_t, int64_t, int64_t>> edges;
    const Adjacency& in = content.edge_types[0].in_edges;
    for (int64_t v = 0; v < in.num_nodes(); ++v) {
      for (uint64_t i = in.indptr()[v]; i < in.indptr()[v + 1]; ++i) {
        if (in.edge(i).edge_id < below) {
          edges.emplace_back(in.edge(i).edge_id, in.edge(i).neighbor, v);
        }
      }
    }
    return edges;
  };
  EXPECT_EQ(edge_set(*all, 700), edge_set(*some, 700));
}

TEST(Rmat, HasLabelsFeaturesAndSplits) {
  const auto graph = GenerateRmat(kSmall);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_TRUE(CheckContent(*graph).ok());
  const NodeContent& nodes = graph->node_types[0];
  for (int64_t v = 0; v < 256; ++v) {
    int64_t label;
    float x[5];
    nodes.y->CopyRows({&v, 1}, reinterpret_cast<uint8_t*>(&label));
    nodes.x->CopyRows({&v, 1}, reinterpret_cast<uint8_t*>(x));
    EXPECT_GE(label, 0);
    EXPECT_LT(label, 3);
    for (int j = 0; j < 5; ++j) {
      const float noise = x[j] - (j % 3 == label ? 1.0f : 0.0f);
      EXPECT_GE(noise, -1.0f);
      EXPECT_LT(noise, 1.0f);
    }
  }
  // 256 / 10, 256 / 20 twice, rounded down.
  ASSERT_EQ(graph->splits.size(), 3);
  EXPECT_EQ(graph->splits[0].ids.size(), 12);  // test
  EXPECT_EQ(graph->splits[1].ids.size(), 25);  // train
  EXPECT_EQ(graph->splits[2].ids.size(), 12);  // valid
}

// At scale 1 an edge's quadrant is its ends, renamed by a permutation of two.
// 40,000 edges: 4 standard deviations of each share are below 0.01.
TEST(Rmat, QuadrantsHaveTheirShares) {
  const auto graph = GenerateRmat({.scale = 1, .edges = 40000});
  ASSERT_TRUE(graph.ok()) << graph.status();
  double share[2][2] = {};
  const Adjacency& in = graph->edge_types[0].in_edges;
  for (int64_t v = 0; v < 2; ++v) {
    for (uint64_t i = in.indptr()[v]; i < in.indptr()[v + 1]; ++i) {
      share[in.edge(i).neighbor][v] += 1.0 / 40000;
    }
  }
  const int hub = share[0][0] > share[1][1] ? 0 : 1;
  EXPECT_NEAR(share[hub][hub], 0.57, 0.01);
  EXPECT_NEAR(share[hub][1 - hub], 0.19, 0.01);
  EXPECT_NEAR(share[1 - hub][hub], 0.19, 0.01);
  EXPECT_NEAR(share[1 - hub][1 - hub], 0.05, 0.01);
}

TEST(Rmat, RefusesOptionsOutOfRange) {
  for (const RmatOptions& options :
       {RmatOptions{.scale = 0}, RmatOptions{.scale = 33},
        RmatOptions{.scale = 3, .edges = -1},
        RmatOptions{.scale = 3, .feat_dim = 70000},
        RmatOptions{.scale = 3, .classes = 0},
        RmatOptions{.scale = 3, .edge_masks = {"a", "a"}},
        RmatOptions{.scale = 3, .edge_masks = {"a<b"}}}) {
    EXPECT_EQ(GenerateRmat(options).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(Rmat, RefusesMoreThanTheMachineHolds) {
  const auto too_large =
      GenerateRmat({.scale = 3, .edges = int64_t{1} << 40}).status();
  EXPECT_EQ(too_large.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(too_large.message().find("--edges 1099511627776"),
            absl::string_view::npos)
      << too_large;
}

}  // namespace
}  // namespace tributary
