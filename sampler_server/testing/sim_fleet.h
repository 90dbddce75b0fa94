// Sampling servers and their peers in a simulated world (SimScheduler,
// SimNetwork).
#ifndef TRIBUTARY_SAMPLER_SERVER_TESTING_SIM_FLEET_H_
#define TRIBUTARY_SAMPLER_SERVER_TESTING_SIM_FLEET_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "channel/frame_sender.h"
#include "channel/testing/sim_network.h"
#include "common/fleet/address.h"
#include "common/testing/leaks_ignored.h"
#include "common/testing/sim_scheduler.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/peers/peer_directory.h"
#include "sampler_server/server/peered_graph.h"
#include "sampler_server/service/sampler_service.h"
#include "sampler_server/testing/sim_cores.h"

namespace tributary {

struct SimServerOptions {
  GraphSpec graph;
  std::vector<uint32_t> partitions;     // to map; empty: all
  bool has_peers = true;                // false: as a server without --peers
  std::shared_ptr<const Graph> opened;  // if set, instead of the two above
  size_t memory_budget = size_t{1} << 20;
  size_t leaf_budget = size_t{1} << 20;
  size_t control_budget = size_t{8} << 20;
  size_t data_budget = size_t{64} << 20;
  size_t tensor_memory = size_t{16} << 20;
  AdmissionLimits admission;
  size_t max_sessions = 256;
  size_t max_streams = 4096;
  FrameSenderOptions frames;
  size_t max_leaf_reply_bytes = size_t{4} << 20;
  double drift = 1;  // of its clock
  // On which the steps of batches take time (SimCores); 0: they take none, and
  // jobs are charged for bytes alone. Twice as many batches compute at once.
  int cores = 0;
  // On which the steps of data calls take the time that they are charged; 0:
  // they take none.
  int data_threads = 0;
  HotLists hot_lists;  // of the graph
  // Makes the row reader of each of its processes; null if the graph has its
  // features in memory.
  std::function<std::shared_ptr<RowReader>(SimExecutor*)> rows;
  // Stands between the network and the service of each of its processes.
  std::function<std::unique_ptr<StreamAcceptor>(StreamAcceptor*)> before;
};

// One server: its node, its graph and what runs on it. Null members after
// Crash.
struct SimServer {
  SimExecutor* executor = nullptr;
  Address address;
  SimServerOptions options;
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<PeerDirectory> directory;
  std::unique_ptr<SamplerService> service;
  std::unique_ptr<StreamAcceptor> before;  // of SimServerOptions
  uint64_t incarnation = 0;
  // The directories of graphs that AddGraph added; a crash drops them.
  std::vector<std::shared_ptr<PeerDirectory>> more_directories;
};

// A world with its network and servers, which a test drives on one thread. Not
// thread-safe.
class SimFleet {
  const LeaksIgnored leaks_ignored_;
  // Of dead processes, too. Tasks refer to them, so they outlive the world.
  std::vector<std::unique_ptr<SimCores>> cores_;

 public:
  explicit SimFleet(uint64_t seed) : world(seed), network(&world) {}
  ~SimFleet();

  // Starts a server at "server<i>:1", which knows no peers yet.
  SimServer& Add(const SimServerOptions& options);
  // Serves another graph by `server`, with all servers as peers.
  void AddGraph(SimServer& server, std::shared_ptr<const Graph> graph);
  // Tells every server the addresses of all of them, its own too.
  void Introduce();
  // Ends the process of a server at once: its tasks, timers and streams.
  void Crash(SimServer& server);
  // Starts another process at the address of a crashed server, which knows all
  // servers.
  void Restart(SimServer& server);
  // Calls Introduce and runs until all servers know each other.
  void Settle();

  SimScheduler world;
  SimNetwork network;
  std::vector<std::unique_ptr<SimServer>> servers;

 private:
  PeeredGraph Peered(const SimServer& server,
                     std::shared_ptr<const Graph> graph,
                     std::shared_ptr<RowReader> rows);
  void Start(SimServer& server);
  std::vector<Address> Addresses() const;

  uint64_t incarnations_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TESTING_SIM_FLEET_H_
