#include "common/session/spec_builder.h"

#include <gtest/gtest.h>

#include "common/proto/session.pb.h"
#include "common/session/kinds/neighbor_spec.h"

namespace tributary {
namespace {

SpecGraph TwoTypes() {
  SpecGraph graph;
  graph.name = "g";
  graph.content_digest.fill(1);
  graph.layout_digest.fill(2);
  graph.node_types = {"a", "b"};
  graph.edge_types = {"a,to,a", "a,to,b", "b,to,a"};
  return graph;
}

SpecOptions Options() {
  SpecOptions options;
  options.input_type = "a";
  options.input_count = 10;
  options.batch_size = 4;
  options.random_seed = UINT64_MAX;
  options.num_neighbors = {4, 3};
  options.num_neighbors.by_edge_type["a,to,b"] = {2, 0};
  return options;
}

v1::SessionSpec Parse(const std::string& bytes) {
  v1::SessionSpec spec;
  EXPECT_TRUE(spec.ParseFromString(bytes));
  return spec;
}

TEST(BuildNeighborSpec, ResolvesAllDefaults) {
  const v1::SessionSpec spec = Parse(*BuildNeighborSpec(TwoTypes(), Options()));
  EXPECT_EQ(spec.semantics_version(), 1u);
  EXPECT_EQ(spec.random_seed(), UINT64_MAX);
  EXPECT_EQ(spec.shuffle(), v1::SHUFFLE_GLOBAL);
  EXPECT_TRUE(spec.layout_digest().empty());
  EXPECT_EQ(spec.content_digest(), std::string(32, '\1'));
  EXPECT_EQ(spec.inputs().node_type(), "a");
  EXPECT_EQ(spec.neighbor().expand(), v1::EXPAND_NEW);
  EXPECT_TRUE(spec.collect_features());
  ASSERT_EQ(spec.neighbor().fanouts_size(), 3);
  EXPECT_EQ(spec.neighbor().fanouts(0).per_hop(1), 3);
  EXPECT_EQ(spec.neighbor().fanouts(1).edge_type(), "a,to,b");
  EXPECT_EQ(spec.neighbor().fanouts(1).per_hop(0), 2);
}

TEST(BuildNeighborSpec, LocalShufflePinsTheLayout) {
  SpecOptions options = Options();
  options.shuffle = ShuffleMode::kLocal;
  EXPECT_EQ(Parse(*BuildNeighborSpec(TwoTypes(), options)).layout_digest(),
            std::string(32, '\2'));
}

// Types not named get the default; without one, 0.
TEST(BuildNeighborSpec, NoDefaultIsZero) {
  SpecOptions options = Options();
  options.num_neighbors.by_default.clear();
  const v1::SessionSpec spec = Parse(*BuildNeighborSpec(TwoTypes(), options));
  EXPECT_EQ(spec.neighbor().fanouts(0).per_hop_size(), 2);
  EXPECT_EQ(spec.neighbor().fanouts(0).per_hop(0), 0);
}

// The identity depends on what is sampled: on every option, not on the layout.
TEST(BuildNeighborSpec, IdentityCoversEveryOption) {
  const auto identity = [](const SpecGraph& graph, const SpecOptions& o) {
    return ToHex(SessionIdentity(*BuildNeighborSpec(graph, o)));
  };
  const std::string base = identity(TwoTypes(), Options());
  EXPECT_EQ(identity(TwoTypes(), Options()), base);
  SpecGraph repartitioned = TwoTypes();
  repartitioned.layout_digest.fill(3);
  EXPECT_EQ(identity(repartitioned, Options()), base);
  SpecGraph other = TwoTypes();
  other.content_digest.fill(3);
  EXPECT_NE(identity(other, Options()), base);
  const auto differs = [&](auto change) {
    SpecOptions options = Options();
    change(options);
    return identity(TwoTypes(), options) != base;
  };
  EXPECT_TRUE(differs([](auto& o) { o.input_type = "b"; }));
  EXPECT_TRUE(differs([](auto& o) { o.input_count = 11; }));
  EXPECT_TRUE(differs([](auto& o) { o.inputs_sha256.fill(1); }));
  EXPECT_TRUE(differs([](auto& o) { o.num_neighbors.by_default = {4, 2}; }));
  EXPECT_TRUE(differs([](auto& o) { o.batch_size = 5; }));
  EXPECT_TRUE(differs([](auto& o) { o.random_seed = 1; }));
  EXPECT_TRUE(differs([](auto& o) { o.shuffle = ShuffleMode::kNone; }));
  EXPECT_TRUE(differs([](auto& o) { o.replace = true; }));
  EXPECT_TRUE(differs([](auto& o) { o.expand = ExpandMode::kAll; }));
  EXPECT_TRUE(differs([](auto& o) { o.collect = CollectedColumns::None(); }));
  EXPECT_TRUE(differs([](auto& o) { o.collect.Add(CollectedColumn::kTime); }));
  EXPECT_TRUE(
      differs([](auto& o) { o.feature_dtype = FeatureDType::kFloat16; }));
  EXPECT_TRUE(differs([](auto& o) { o.collect_degrees = true; }));
  EXPECT_TRUE(differs([](auto& o) { o.draws.draw = DrawMode::kWeighted; }));
  EXPECT_TRUE(differs([](auto& o) { o.draws.disjoint = true; }));
}

// Sessions that use no newer option keep their identity.
TEST(BuildNeighborSpec, WhatIsNotAskedForIsAbsent) {
  EXPECT_EQ(ToHex(SessionIdentity(*BuildNeighborSpec(TwoTypes(), Options()))),
            "319d7e3c62f1bccc8e493996e326f70407116587d41add311ba378e27d9adde2");
}

TEST(BuildNeighborSpec, ErrorsNameTheOption) {
  const auto refused = [](const char* word, auto change) {
    SpecOptions options = Options();
    change(options);
    const absl::Status status = BuildNeighborSpec(TwoTypes(), options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << word;
    EXPECT_NE(status.message().find(word), std::string::npos) << status;
  };
  refused("batch_size: 0", [](auto& o) { o.batch_size = 0; });
  refused("allowed: a, b", [](auto& o) { o.input_type = "c"; });
  refused("name one: a, b", [](auto& o) { o.input_type = ""; });
  refused("input_nodes", [](auto& o) { o.input_count = 0; });
  refused("has -2", [](auto& o) { o.num_neighbors = {1, -2}; });
  refused("33 hops", [](auto& o) { o.num_neighbors.by_default.assign(33, 1); });
  refused("others 3", [](auto& o) { o.num_neighbors.by_default = {1, 2, 3}; });
  refused("feature_dtype: float16, but no features", [](auto& o) {
    o.collect = CollectedColumns::None();
    o.feature_dtype = FeatureDType::kFloat16;
  });
  refused("'x,y,z' is not in graph", [](auto& o) {
    o.num_neighbors.by_edge_type["x,y,z"] = {1, 1};
  });
}

// Worked out by hand: SHA-256 of sixteen bytes, 1 and -1 little-endian.
TEST(InputsSha256, IsOfLittleEndianIds) {
  const std::string bytes("\1\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff",
                          16);
  EXPECT_EQ(InputsSha256({1, -1}), Sha256Of(bytes));
}

// The ids, "time", the times.
TEST(InputsSha256, CoversTimes) {
  const std::string bytes(
      "\1\0\0\0\0\0\0\0"
      "time\xff\xff\xff\xff\xff\xff\xff\xff",
      20);
  EXPECT_EQ(InputsSha256({1}, {-1}), Sha256Of(bytes));
}

}  // namespace
}  // namespace tributary
