// A sampling server, as `tributary serve` runs it: graphs, their service, their
// peers, and the ports for trainers, peers and HTTP.
//
//   SamplerServerOptions options;
//   options.graphs = {{"/data/cora4", {0, 1}}};
//   options.peers = "file:servers.txt";
//   ASSIGN_OR_RETURN(auto server, SamplerServer::Start(options));
//   ... server->address() ...
//   server->Drain(absl::Seconds(30));
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVER_SAMPLER_SERVER_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVER_SAMPLER_SERVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/network.h"
#include "common/fleet/address.h"
#include "common/identity/tls_files.h"
#include "partition/schema/feature_memory.h"
#include "partition/schema/huge_pages.h"
#include "partition/schema/partition_choice.h"
#include "sampler_server/jobs/job_weights.h"
#include "sampler_server/server/graph_list.h"
#include "sampler_server/service/sampler_service.h"

namespace tributary {

struct SamplerServerOptions {
  // At least one, or else graph_file. Of several with one name the last is the
  // newest.
  std::vector<ListedGraph> graphs;
  // A file that lists the graphs and is read again every second (GraphWatcher).
  std::string graph_file;
  // The partitions for lines of graph_file that name none.
  PartitionChoice partitions;
  // How long a graph that is no longer listed still answers its peers.
  absl::Duration retire_grace = absl::Seconds(30);
  bool verify = false;             // check every file's CRC first
  Address listen{"127.0.0.1", 0};  // port 0: any
  // The status page, /metrics and /healthz: with `tls` for operators and
  // samplers, and the page for trainers, too, of their own job; without for
  // anyone who reaches it. None: not served.
  std::optional<Address> http;
  // Where peers are found: HOST:PORT,... | file:PATH | dns:///NAME:PORT. May
  // name this server too; empty: no peers.
  std::string peers;
  int threads = 0;  // 1 to 1024; 0: one per core that may be used
  // Bytes of batches being made or sent. Requests of peers have a quarter as
  // much beside it, at least 16 MiB and at most 128 MiB.
  uint64_t memory_budget = uint64_t{1} << 30;
  // Bytes of mutable rows with their optimizers' state; rounds of gradients
  // have a quarter as much beside it. 0: none.
  uint64_t tensor_memory = uint64_t{1} << 30;
  // Shares of jobs; by default all jobs have equal ones.
  JobWeights job_weights;
  uint64_t max_rate = 0;  // bytes of batches per second; 0: unlimited
  // Whether features are mapped, or read from files by feature_readers threads.
  FeatureMemory feature_memory = FeatureMemory::kAuto;
  HugePages huge_pages = HugePages::kOff;
  int feature_readers = 8;  // 1 to 256
  // Whether caches of hot rows that are beside the graphs are loaded.
  bool hot_cache = true;
  // Every stream is encrypted, and its other end known by its certificate
  // (common/identity); empty: plain text.
  TlsFiles tls;
  // Which jobs may read which graphs (AccessPolicy), read again when it
  // changes; empty: each may read all.
  std::string policy_file;
  // A listener of its own, in plain text, for /healthz alone; none: /healthz is
  // served beside /metrics only.
  std::optional<Address> health;
  bool insecure = false;  // the graph in plaintext beyond loopback
  // What carries the streams to peers. kGrpc: those of trainers, too, for then
  // the port takes no others.
  Carrier transport = Carrier::kAuto;
  // See NetworkServerOptions.
  size_t max_connections = 4096;
  size_t max_streams = 4096;
  absl::Duration stream_idle_timeout = absl::Minutes(10);
  // If above 0, all_clients_gone runs once this many trainers have announced
  // their end (SamplingWorkers::Shutdown), on any thread.
  uint32_t num_clients = 0;
  std::function<void()> all_clients_gone;
};

// Owns all threads, memory and ports of the server. Serves from Start until the
// destructor, which breaks the streams that are left, so Drain first.
// Thread-safe, but for Drain and the destructor.
class SamplerServer {
 public:
  // Returns a server that is ready: its partitions are mapped, its ports open.
  // INVALID_ARGUMENT, naming the option, for an option out of range; else the
  // errors of Graph::Open, ParseDiscoverySource, StartNetworkServer and
  // MetricsServer.
  static absl::StatusOr<std::unique_ptr<SamplerServer>> Start(
      const SamplerServerOptions& options);
  virtual ~SamplerServer() = default;

  virtual Address address() const = 0;
  virtual std::optional<Address> http_address() const = 0;
  virtual std::optional<Address> health_address() const = 0;
  // Returns the graphs that are served now.
  virtual std::vector<GraphState> graphs() const = 0;

  // Takes no new batches and attempts, and goes on answering peers. Returns
  // when the batches that were accepted before are sent and the attempts that
  // have rows here have ended, or `timeout` has passed and they are cancelled.
  // Further calls have no effect.
  virtual void Drain(absl::Duration timeout) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_SAMPLER_SERVER_H_
