#include "trainer_client/core/kinds/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/proto/session.pb.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/schema/spec_graph.h"
#include "trainer_client/core/kinds/link_options.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Nodes 0, 1, 2 with x of 2 floats; edges with edge_attr of 1.
GraphSchema Triangle() {
  GraphSpec spec;
  spec.num_nodes = 3;
  spec.edges = {{0, 1}, {1, 2}, {2, 0}};
  spec.x.resize(6);
  spec.x_dim = 2;
  spec.edge_attr.resize(3);
  spec.edge_attr_dim = 1;
  return BuildGraph(spec)->schema();
}

LinkOptions OneLink() {
  LinkOptions link;
  link.lists.resize(1);
  link.lists[0].source = {0};
  link.lists[0].destination = {1};
  link.neighbors.num_neighbors = {2};
  return link;
}

// The options of every kind, on a triangle.
std::vector<KindOptions> AllKinds() {
  return {NeighborOptions{.num_neighbors = {2}}, OneLink(),
          WalkOptions{.walk_length = 2}, PprOptions{.top_k = 2},
          LayerwiseOptions{.nodes_per_layer = {2}}};
}

// The specification of options of one input.
v1::SessionSpec SpecOf(const SessionOptions& options) {
  const GraphSchema schema = Triangle();
  SpecOptions common;
  common.input_count = 1;
  common.batch_size = 1;
  const auto bytes =
      KindOf(options.kind).BuildSpec(options, SpecGraphOf(schema), common);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  v1::SessionSpec spec;
  EXPECT_TRUE(spec.ParseFromString(*bytes));
  return spec;
}

SessionOptions WithNodes(const KindOptions& kind) {
  SessionOptions options(CommonLoaderOptions(), kind);
  if (!std::holds_alternative<LinkOptions>(kind)) options.input_nodes = {0};
  return options;
}

TEST(ClientKinds, EachBuildsItsOwnKindOfSpecification) {
  std::vector<v1::SessionSpec::KindCase> cases;
  for (const KindOptions& kind : AllKinds()) {
    cases.push_back(SpecOf(WithNodes(kind)).kind_case());
  }
  EXPECT_EQ(cases.size(), std::variant_size_v<KindOptions>);
  EXPECT_THAT(cases,
              ElementsAre(v1::SessionSpec::kNeighbor, v1::SessionSpec::kLink,
                          v1::SessionSpec::kWalk, v1::SessionSpec::kPpr,
                          v1::SessionSpec::kLayerwise));
}

TEST(ClientKinds, NodesAreGivenInOneWayAndLinksInNone) {
  for (const KindOptions& kind : AllKinds()) {
    SessionOptions options = WithNodes(kind);
    EXPECT_TRUE(KindOf(kind).CheckOptions(options).ok()) << kind.index();
    options.all_nodes = true;
    const absl::Status status = KindOf(kind).CheckOptions(options);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(std::holds_alternative<LinkOptions>(kind)
                              ? "input_nodes is given with links"
                              : "input_nodes is given beside another list"));
  }
}

TEST(ClientKinds, NamesMustBeUtf8) {
  const std::string bad = "\xff";
  LinkOptions link = OneLink();
  link.lists[0].edge_type = bad;
  const std::pair<KindOptions, const char*> wrong[] = {
      {NeighborOptions{.num_neighbors = {{}, {{bad, {1}}}}},
       "num_neighbors is"},
      {link, "link.edge_type is"},
      {WalkOptions{.metapath = {bad}}, "metapath is"},
      {PprOptions{.edge_type = bad}, "edge_type is"},
      {LayerwiseOptions{.edge_type = bad}, "edge_type is"}};
  for (const auto& [kind, words] : wrong) {
    const absl::Status status = KindOf(kind).CheckNames(WithNodes(kind));
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(words));
  }
}

// Walks and PPR have no edges, and so no edge_attr, in their batches.
TEST(ClientKinds, FeaturesAreThoseOfSampledTypes) {
  const GraphSchema schema = Triangle();
  std::vector<size_t> edge_types;
  for (const KindOptions& kind : AllKinds()) {
    SampledTypes types(schema);
    v1::SessionSpec spec = SpecOf(WithNodes(kind));
    if (spec.has_link()) spec.mutable_inputs()->set_edge_type("node,to,node");
    KindOf(kind).AddSampledTypes(spec, &types);
    EXPECT_THAT(types.nodes(), ElementsAre(0)) << kind.index();
    edge_types.push_back(types.edges().size());
  }
  EXPECT_THAT(edge_types, ElementsAre(1, 1, 0, 0, 1));
}

TEST(ClientKinds, SourcesNameTheSplitsToRead) {
  const GraphSchema schema = Triangle();
  SessionOptions nodes = WithNodes(PprOptions());
  nodes.input_nodes.clear();
  nodes.input_split = "train";
  auto sources = KindOf(nodes.kind).InputSources(nodes, schema);
  ASSERT_TRUE(sources.ok()) << sources.status();
  ASSERT_EQ(sources->size(), 1u);
  EXPECT_EQ((*sources)[0].split, "train");
  EXPECT_EQ((*sources)[0].edge_type, "");
  auto inputs = KindOf(nodes.kind).MakeInputs(nodes, schema, {{2, 0}});
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  EXPECT_THAT(inputs->nodes, ElementsAre(2, 0));

  LinkOptions link = OneLink();
  link.lists[0] = {.input_split = "train"};
  const SessionOptions links(CommonLoaderOptions(), link);
  sources = KindOf(links.kind).InputSources(links, schema);
  ASSERT_TRUE(sources.ok()) << sources.status();
  EXPECT_EQ((*sources)[0].split, "train");
  EXPECT_EQ((*sources)[0].edge_type, "node,to,node");
  inputs = KindOf(links.kind).MakeInputs(links, schema, {{0, 1, 0, 2, 0, 2}});
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  EXPECT_THAT(inputs->links->source, ElementsAre(0, 2));
  EXPECT_THAT(inputs->links->destination, ElementsAre(1, 0));
  EXPECT_EQ(
      KindOf(links.kind).MakeInputs(links, schema, {{0, 1}}).status().code(),
      absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace tributary
