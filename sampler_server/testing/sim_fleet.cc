#include "sampler_server/testing/sim_fleet.h"

#include <algorithm>
#include <cstdlib>

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

PeeredGraph SimFleet::Peered(const SimServer& server,
                             std::shared_ptr<const Graph> graph,
                             std::shared_ptr<RowReader> rows) {
  PeeredGraph peered =
      MakePeeredGraph(std::move(graph), std::move(rows), /*hot=*/nullptr,
                      server.incarnation, server.options.has_peers,
                      network.TransportOf(server.executor), server.executor);
  peered.served.hot_lists = server.options.hot_lists;
  return peered;
}

void SimFleet::Start(SimServer& server) {
  const SimServerOptions& options = server.options;
  const uint64_t incarnation = server.incarnation = ++incarnations_;
  server.executor = world.AddNode(server.address.host, options.drift);

  PeeredGraph peered =
      Peered(server, server.graph,
             options.rows ? options.rows(server.executor) : nullptr);
  server.directory = std::move(peered.directory);
  SamplerServiceOptions service;
  service.incarnation = incarnation;
  service.memory_budget = options.memory_budget;
  service.leaf_budget = options.leaf_budget;
  service.control_budget = options.control_budget;
  service.data_budget = options.data_budget;
  service.tensor_memory = options.tensor_memory;
  service.admission = options.admission;
  service.max_sessions = options.max_sessions;
  service.max_streams = options.max_streams;
  service.frames = options.frames;
  service.max_leaf_reply_bytes = options.max_leaf_reply_bytes;
  SamplerServiceEnvironment environment;
  environment.executor = server.executor;
  environment.leaf_executor = server.executor;
  if (options.cores > 0) {
    cores_.push_back(
        std::make_unique<SimCores>(server.executor, options.cores));
    environment.executor = cores_.back().get();
    environment.protocol_executor = server.executor;
    environment.cpu_clock = SimCores::CpuClock;
    service.admission.computing = 2 * options.cores;
  }
  if (options.data_threads > 0) {
    cores_.push_back(std::make_unique<SimCores>(
        server.executor, options.data_threads, [&server] {
          return server.service == nullptr ? absl::ZeroDuration()
                                           : server.service->data_time();
        }));
    environment.data_executor = cores_.back().get();
  }
  server.service = std::make_unique<SamplerService>(service, environment,
                                                    std::move(peered.served));
  if (options.before) server.before = options.before(server.service.get());
  network.Listen(
      server.executor, server.address,
      server.before != nullptr ? server.before.get() : server.service.get());
}

void SimFleet::AddGraph(SimServer& server, std::shared_ptr<const Graph> graph) {
  PeeredGraph peered = Peered(server, std::move(graph), nullptr);
  peered.directory->SetListed(Addresses());
  const absl::Status added = server.service->AddGraph(std::move(peered.served));
  if (!added.ok()) std::abort();
  server.more_directories.push_back(std::move(peered.directory));
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
  for (const auto& server : servers) {
    server->directory->SetListed(Addresses());
    for (const auto& directory : server->more_directories) {
      directory->SetListed(Addresses());
    }
  }
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
  // Destroyed in an event of its own: the server may be inside a call now.
  auto crashed = std::make_shared<SimServer>();
  crashed->directory = std::move(server.directory);
  crashed->service = std::move(server.service);
  crashed->before = std::move(server.before);
  crashed->more_directories = std::move(server.more_directories);
  server.more_directories.clear();
  world.Schedule(-1, world.now(), [crashed] {});
}

}  // namespace tributary
