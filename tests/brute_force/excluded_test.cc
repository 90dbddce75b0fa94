// Compares batches with excluded edges with the definition. Kinds of sampling
// exclude edges by BatchState::excluded, before the first hop.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <utility>

#include "common/proto/session.pb.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/engine/testing/expected_batch.h"
#include "sampler_server/kinds/registry.h"
#include "tests/brute_force/random_case.h"

namespace tributary {
namespace {

// Excluded edges by edge type of the graph, in original ids.
struct Excluded {
  std::set<std::pair<size_t, size_t>> edges;
  std::set<std::pair<size_t, std::pair<int64_t, int64_t>>> parallels;

  bool operator()(const MemoryGraphSpec& graph, size_t type, size_t e) const {
    return edges.count({type, e}) > 0 ||
           parallels.count({type, graph.edge_types[type].edges[e]}) > 0;
  }
};

Excluded RandomExcluded(const RandomCase& c) {
  std::mt19937_64 random(c.seed);
  Excluded excluded;
  for (size_t t = 0; t < c.graph.edge_types.size(); ++t) {
    const auto& edges = c.graph.edge_types[t].edges;
    const size_t share = 1 + random() % 20;
    for (size_t e = 0; e < edges.size(); ++e) {
      if (random() % share != 0) continue;
      if (random() % 2 == 0) {
        excluded.edges.emplace(t, e);
      } else {
        excluded.parallels.emplace(t, edges[e]);
      }
    }
  }
  return excluded;
}

uint64_t InternalId(const Graph& graph, int type, int64_t original) {
  const NodeLocation at = graph.node_map(type).Locate(original).value();
  return static_cast<uint64_t>(
             graph.schema().node_types[type].base[at.partition]) +
         at.row;
}

// Neighbour sampling that excludes the test's edges.
class ExcludingKind final : public SamplingKind {
 public:
  ExcludingKind(const MemoryGraphSpec& graph, const Excluded& excluded)
      : graph_(graph), excluded_(excluded) {}
  absl::string_view name() const override { return neighbor_.name(); }
  int field() const override { return neighbor_.field(); }
  absl::Status Plan(const GraphSchema& schema, const v1::SessionSpec& spec,
                    SamplingPlan* plan) const override {
    return neighbor_.Plan(schema, spec, plan);
  }
  std::shared_ptr<BatchProgram> NewProgram(StepContext context) const override {
    for (const PlannedEdgeType& type : context.plan->edge_types) {
      ExcludedEdges& to = context.state->excluded.emplace_back();
      const auto t = static_cast<size_t>(type.edge_type);
      const auto& edges = graph_.edge_types[t].edges;
      const auto id = [&](int node_type, int64_t original) {
        return InternalId(*context.graph, node_type, original);
      };
      for (size_t e = 0; e < edges.size(); ++e) {
        if (excluded_.edges.count({t, e}) == 0) continue;
        to.by_id.push_back(
            {id(type.dst_type, edges[e].second), static_cast<int64_t>(e)});
      }
      for (const auto& [of, ends] : excluded_.parallels) {
        if (of != t) continue;
        to.by_source.push_back(
            {id(type.dst_type, ends.second), id(type.src_type, ends.first)});
      }
      EXPECT_TRUE(to.Finish().ok());
    }
    return neighbor_.NewProgram(std::move(context));
  }

 private:
  const SamplingKind& neighbor_ =
      *FindKind(v1::SessionSpec::kNeighborFieldNumber);
  const MemoryGraphSpec& graph_;
  const Excluded& excluded_;
};

std::string Made(const RandomCase& c, const Excluded& excluded,
                 bool with_peer) {
  const ExcludingKind kind(c.graph, excluded);
  const auto graph = MemoryGraph::Make(c.graph);
  BatchRequest request = RequestOf(graph->schema(), c.batch);
  auto plan = std::make_shared<SamplingPlan>(*request.plan);
  plan->kind = &kind;
  request.plan = std::move(plan);
  OneBatchWorld world(with_peer ? graph->Only(c.here) : graph, graph);
  world.remote()->edges_per_reply = c.edges_per_reply;
  const auto sink = world.Start(std::move(request));
  (void)world.world().Drain(1'000'000);
  return DigestOf(*sink);
}

std::string Defined(const RandomCase& c, const Excluded& excluded) {
  const auto graph = MemoryGraph::Make(c.graph);
  const BatchRequest request = RequestOf(graph->schema(), c.batch);
  return ExpectedDigest(
      c.graph, c.batch.options, request.key.epoch, request.key.index,
      request.input_number, request.original_id, request.input_time,
      [&](size_t type, size_t e) { return excluded(c.graph, type, e); });
}

TEST(ExcludedEdges, AreTheDefinitionHereAndThroughPeers) {
  int changed = 0;
  for (uint64_t seed = 40'000; seed < 42'000; ++seed) {
    RandomCase c = MakeRandomCase(seed);
    SubgraphOptions& subgraph = c.batch.options.subgraph;
    // Induced subgraphs and draws across types refuse exclusions.
    if (subgraph.type == SubgraphType::kInduced) subgraph = SubgraphOptions();
    DrawMode& draw = c.batch.options.draws.draw;
    if (draw == DrawMode::kAcrossTypes) draw = DrawMode::kUniform;
    const Excluded excluded = RandomExcluded(c);
    const std::string defined = Defined(c, excluded);
    ASSERT_EQ(Made(c, excluded, false), defined) << Describe(c);
    ASSERT_EQ(Made(c, excluded, true), defined) << Describe(c);
    changed += defined != DefinedDigest(c) ? 1 : 0;
  }
  EXPECT_GT(changed, 600);
}

TEST(ExcludedEdges, OfHubs) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const RandomCase c = MakeHubCase(seed);
    const Excluded excluded = RandomExcluded(c);
    ASSERT_EQ(Made(c, excluded, seed % 2 == 0), Defined(c, excluded))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace tributary
