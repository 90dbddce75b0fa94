// Sampling servers with their peers, in one simulated world.
#ifndef TRIBUTARY_SAMPLER_SERVER_TESTING_SIM_FLEET_H_
#define TRIBUTARY_SAMPLER_SERVER_TESTING_SIM_FLEET_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "channel/frame_sender.h"
#include "channel/testing/sim_network.h"
#include "common/fleet/address.h"
#include "common/testing/sim_scheduler.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/peers/peer_directory.h"
#include "sampler_server/server/peered_graph.h"
#include "sampler_server/service/sampler_service.h"

namespace tributary {

struct SimServerOptions {
  GraphSpec graph;
  std::vector<uint32_t> partitions;     // to map; empty: all
  std::shared_ptr<const Graph> opened;  // if set, in place of the two above
  size_t memory_budget = size_t{1} << 20;
  size_t leaf_budget = size_t{1} << 20;
  AdmissionLimits admission;
  size_t max_sessions = 256;
  FrameSenderOptions frames;
  size_t max_leaf_reply_bytes = size_t{4} << 20;
  double drift = 1;  // of its clock
  // Of each of its processes, where the graph has features in files.
  std::function<std::shared_ptr<RowReader>(SimExecutor*)> rows;
};

// One server: its node, its graph and all that it runs.
struct SimServer {
  SimExecutor* executor = nullptr;
  Address address;
  SimServerOptions options;
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<PeerDirectory> directory;
  std::unique_ptr<SamplerService> service;
  uint64_t incarnation = 0;
  // Of graphs that came later; a crash takes them along.
  std::vector<std::shared_ptr<PeerDirectory>> more_directories;
};

class SimFleet {
#ifdef __SANITIZE_ADDRESS__
  // First in, last out. The world ends as by a power cut: nobody ends what the
  // nodes were doing, and what a real process would have taken with it stays
  // behind.
  const __lsan::ScopedDisabler leaks_ignored_;
#endif

 public:
  explicit SimFleet(uint64_t seed) : world(seed), network(&world) {}
  ~SimFleet();

  // Starts a server at "server<i>:1"; knows no peers yet.
  SimServer& Add(const SimServerOptions& options);
  // The server serves another graph beside what it has, and knows the others.
  void AddGraph(SimServer& server, std::shared_ptr<const Graph> graph);
  // Tells every server of all of them, itself too.
  void Introduce();
  // Its process is gone without a word, and what it had with it.
  void Crash(SimServer& server);
  // After a crash: another process at the same address, which is told of all.
  void Restart(SimServer& server);
  // Introduces them and waits until all know each other.
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
