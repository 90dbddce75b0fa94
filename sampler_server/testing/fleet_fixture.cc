#include "sampler_server/testing/fleet_fixture.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "partition/format/testing/graph_builder.h"
#include "partition/format/testing/seven_nodes.h"

namespace tributary {
namespace {

using GraphKey = std::tuple<std::string, uint32_t, std::vector<uint32_t>>;

// Writing a graph flushes it to disk: each is made once for all tests.
std::shared_ptr<const Graph> Remember(const GraphKey& key,
                                      const GraphSpec& spec) {
  static auto* const graphs =
      new std::map<GraphKey, std::shared_ptr<const Graph>>;
  std::shared_ptr<const Graph>& graph = (*graphs)[key];
  if (graph == nullptr) graph = BuildGraph(spec, {std::get<2>(key)});
  return graph;
}

GraphSpec SevenNodes(uint32_t num_partitions) {
  GraphSpec graph;
  graph.num_nodes = 7;
  graph.edges = SevenNodesEdges();
  graph.num_partitions = num_partitions;
  return graph;
}

}  // namespace

std::shared_ptr<const Graph> VectorGraph(uint32_t num_partitions,
                                         std::vector<uint32_t> mapped) {
  return Remember({"vectors", num_partitions, std::move(mapped)},
                  SevenNodes(num_partitions));
}

std::shared_ptr<const Graph> DrawVectorGraph(uint32_t num_partitions,
                                             std::vector<uint32_t> mapped) {
  GraphSpec graph = SevenNodes(num_partitions);
  graph.weight = {1, 2, 0, 3, 4, 1, 5, 2, 0, 1, 3, 2};
  graph.edge_time = {5, 1, 4, 2, 3, 9, 0, 7, 7, 6, 8, 2};
  graph.node_time = {3, 0, 5, 1, 4, 2, 6};
  graph.neighbor_ids = true;
  return Remember({"draw vectors", num_partitions, std::move(mapped)}, graph);
}

TrainerSession VectorSession(const SimServer& server) {
  SpecOptions options;
  options.num_neighbors = {2, 2};
  options.batch_size = 3;
  options.random_seed = 7;
  return MakeSession(server.graph->schema(), options, {0, 3, 1, 6});
}

std::shared_ptr<const Graph> StarGraph(std::vector<uint32_t> mapped) {
  GraphSpec graph;
  graph.num_nodes = 51;
  for (int64_t i = 1; i <= 50; ++i) graph.edges.push_back({i, 0});
  graph.x_dim = 16;
  graph.x.assign(graph.num_nodes * graph.x_dim, 0.5f);
  graph.num_partitions = 2;
  return Remember({"star", 2, std::move(mapped)}, graph);
}

TrainerSession StarSession(const SimServer& server) {
  SpecOptions options;
  options.num_neighbors = {-1};
  options.batch_size = 1;
  options.shuffle = ShuffleMode::kNone;
  return MakeSession(server.graph->schema(), options,
                     std::vector<int64_t>(16, 0));
}

std::shared_ptr<ScriptedTrainer> FleetFixture::Connect(SimFleet& fleet,
                                                       int server) {
  SimExecutor* node = fleet.world.AddNode("trainer");
  return ScriptedTrainer::Connect(fleet.network.TransportOf(node),
                                  fleet.servers[server]->address);
}

void FleetFixture::Await(SimFleet& fleet, const ScriptedTrainer& trainer,
                         size_t answers) {
  fleet.world.RunUntil([&] { return trainer.answers() >= answers; },
                       absl::Seconds(30));
}

void FleetFixture::RunFor(SimFleet& fleet, absl::Duration time) {
  fleet.world.RunUntil([] { return false; }, time);
}

void FleetFixture::ExpectIdle(const SimServer& server) {
  EXPECT_EQ(server.service->budget().used(), 0u);
  EXPECT_EQ(server.service->leaf_budget().used(), 0u);
  EXPECT_EQ(server.service->active(), 0u);
  EXPECT_EQ(server.service->queued(), 0u);
  EXPECT_LE(server.service->budget().peak(), server.service->budget().limit());
}

}  // namespace tributary
