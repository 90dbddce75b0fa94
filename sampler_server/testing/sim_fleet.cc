#include "sampler_server/testing/sim_fleet.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tributary {

SimFleet::~SimFleet() {
  for (auto& server : servers) {
    if (!world.crashed(server->executor->node())) Crash(*server);
  }
}

SimServer& SimFleet::Add(const SimServerOptions& options) {
  const std::string name = absl::StrCat("server", servers.size());
  SimServer& server = *servers.emplace_back(std::make_unique<SimServer>());
  server.address = {name, 1};
  server.options = options;
  server.graph = options.opened != nullptr
                     ? options.opened
                     : BuildGraph(options.graph, {options.partitions});
  Start(server);
  return server;
}

void SimFleet::Start(SimServer& server) {
  const SimServerOptions& options = server.options;
  const uint64_t incarnation = ++incarnations_;
  server.executor = world.AddNode(server.address.host, options.drift);

  PeerDirectoryOptions directory;
  directory.schema = server.graph->schema();
  directory.own_incarnation = incarnation;
  server.directory = std::make_shared<PeerDirectory>(
      directory, network.TransportOf(server.executor), server.executor);
  server.partitions = std::make_unique<PeerPartitions>(server.graph->schema(),
                                                       server.directory);
  SamplerServiceOptions service;
  service.graph = server.graph;
  service.incarnation = incarnation;
  service.memory_budget = options.memory_budget;
  service.leaf_budget = options.leaf_budget;
  service.admission = options.admission;
  service.max_sessions = options.max_sessions;
  service.frames = options.frames;
  service.max_leaf_reply_bytes = options.max_leaf_reply_bytes;
  SamplerServiceEnvironment environment;
  environment.executor = server.executor;
  environment.leaf_executor = server.executor;
  environment.remote = server.partitions.get();
  if (options.rows) environment.rows = options.rows(server.executor);
  environment.peers = [directory = server.directory] {
    return directory->States();
  };
  server.service = std::make_unique<SamplerService>(service, environment);
  network.Listen(server.executor, server.address, server.service.get());
}

void SimFleet::Restart(SimServer& server) {
  Start(server);
  server.directory->SetListed(Addresses());
}

std::vector<Address> SimFleet::Addresses() const {
  std::vector<Address> addresses;
  for (const auto& server : servers) addresses.push_back(server->address);
  return addresses;
}

void SimFleet::Introduce() {
  for (const auto& server : servers) server->directory->SetListed(Addresses());
}

void SimFleet::Settle() {
  Introduce();
  world.RunUntil(
      [this] {
        return std::all_of(servers.begin(), servers.end(), [&](auto& server) {
          const auto states = server->directory->States();
          return states.size() + 1 == servers.size() &&
                 std::all_of(states.begin(), states.end(),
                             [](const auto& s) { return s.healthy(); });
        });
      },
      absl::Seconds(10));
}

void SimFleet::Crash(SimServer& server) {
  network.Crash(server.executor);
  // Not inside a call that it may be making.
  auto corpse = std::make_shared<SimServer>();
  corpse->directory = std::move(server.directory);
  corpse->partitions = std::move(server.partitions);
  corpse->service = std::move(server.service);
  world.Schedule(-1, world.now(), [corpse] {});
}

}  // namespace tributary
