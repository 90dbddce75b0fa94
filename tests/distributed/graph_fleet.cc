#include "tests/distributed/graph_fleet.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <utility>
#include <vector>

namespace tributary {
namespace {

template <typename T>
T OrDie(absl::StatusOr<T> result) {
  if (!result.ok()) {
    std::cerr << "graph_fleet: " << result.status() << "\n";
    std::abort();
  }
  return *std::move(result);
}

NodePlan PlanOf(const GraphContent& content, uint32_t partitions) {
  NodePlan plan{.num_partitions = partitions, .method = "test"};
  for (const NodeContent& type : content.node_types) {
    auto& placed = plan.partition_of.emplace_back();
    for (int64_t i = 0; i < type.num_nodes; ++i) {
      placed.push_back(static_cast<uint16_t>((i * 7 + i / 3) % partitions));
    }
  }
  return plan;
}

}  // namespace

GraphFleet::GraphFleet(const GraphContent& content,
                       const GraphFleetOptions& options) {
  OrDie(WriteGraph(content, PlanOf(content, options.partitions), folder(),
                   {.made_by = "test",
                    .flush = false,
                    .degrees = options.degrees,
                    .edge_index = options.edge_index}));
  if (options.servers == 0) {
    CollocatedDistSamplingWorkerOptions worker;
    worker.graph = folder();
    worker.num_threads = 2;
    worker.feature_memory = options.features;
    worker.channel_size = uint64_t{16} << 20;
    workers_ = OrDie(SamplingWorkers::Open(worker));
    return;
  }
  StartServers(options);
}

void GraphFleet::StartServers(const GraphFleetOptions& options) {
  const std::string list = folder_.File("servers.txt");
  std::ofstream(list) << "";
  std::string addresses;
  for (int s = 0; s < options.servers; ++s) {
    SamplerServerOptions server;
    const auto n = static_cast<uint32_t>(options.servers);
    std::vector<uint32_t> owned;
    for (uint32_t p = 0; p < options.partitions; ++p) {
      if (options.partitions < n) break;  // all
      if (p % n == static_cast<uint32_t>(s)) owned.push_back(p);
    }
    server.graphs = {{folder(), std::move(owned)}};
    server.peers = "file:" + list;
    server.threads = 2;
    server.feature_memory = options.features;
    servers_.push_back(OrDie(SamplerServer::Start(server)));
    addresses += servers_.back()->address().ToString() + "\n";
  }
  std::ofstream(list) << addresses;
  RemoteDistSamplingWorkerOptions worker;
  worker.servers = "file:" + list;
  worker.buffer_size = uint64_t{16} << 20;
  workers_ = OrDie(SamplingWorkers::Open(worker));
}

std::unique_ptr<DistGraph> GraphFleet::Open(int rank, int world_size) {
  return OrDie(DistGraph::Open(
      workers_.get(),
      {.rank = rank, .world_size = world_size, .timeout = absl::Seconds(60)}));
}

}  // namespace tributary
