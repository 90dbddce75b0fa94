// A sampling server: graphs, their service, their peers and its ports.
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
#include "common/fleet/address.h"
#include "partition/schema/feature_memory.h"
#include "sampler_server/server/graph_list.h"
#include "sampler_server/service/jobs/job_weights.h"
#include "sampler_server/service/sampler_service.h"

namespace tributary {

struct SamplerServerOptions {
  // Of several with one name the last is the newest. At least one, or else
  // graph_file.
  std::vector<GraphSource> graphs;
  // Lists them, and is read again every second (GraphWatcher).
  std::string graph_file;
  std::vector<uint32_t> partitions;  // of its lines that say none; empty: all
  // How long a graph that is listed no more still answers its peers.
  absl::Duration retire_grace = absl::Seconds(30);
  bool verify = false;             // check every file's CRC first
  Address listen{"127.0.0.1", 0};  // port 0: any
  std::optional<Address> http;     // /metrics and /healthz; none: not served
  // HOST:PORT,... | file:PATH | dns:///NAME:PORT; may name this server too;
  // empty: none.
  std::string peers;
  int threads = 0;  // 1 to 1024; 0: one per core
  // Of batches being made or sent. Peers' requests have a quarter as much
  // beside it, 16 MiB at least and 128 MiB at most.
  uint64_t memory_budget = uint64_t{1} << 30;
  // Shares of jobs; by default all have an equal one.
  JobWeights job_weights;
  uint64_t max_rate = 0;  // bytes of batches a second; 0: any
  // Whether features are mapped, or read by threads of their own: how many.
  FeatureMemory feature_memory = FeatureMemory::kAuto;
  int feature_readers = 8;  // 1 to 256
  bool insecure = false;    // plaintext beyond loopback
  // Above 0: all_clients_gone runs once so many trainers have said farewell
  // (SamplingWorkers::Shutdown). Any thread.
  uint32_t num_clients = 0;
  std::function<void()> all_clients_gone;
};

// Serves from Start to its destructor, which breaks what is left: Drain first.
class SamplerServer {
 public:
  // What Graph::Open, ParseDiscoverySource and the ports say; INVALID_ARGUMENT
  // names the option. Ready on return: own partitions mapped, ports open.
  static absl::StatusOr<std::unique_ptr<SamplerServer>> Start(
      const SamplerServerOptions& options);
  virtual ~SamplerServer() = default;

  virtual Address address() const = 0;
  virtual std::optional<Address> http_address() const = 0;
  // Those that are served now.
  virtual std::vector<GraphState> graphs() const = 0;

  // Takes no new batches, goes on answering peers, and returns when the batches
  // it had taken are sent, or `timeout` has passed and they are cancelled.
  virtual void Drain(absl::Duration timeout) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_SAMPLER_SERVER_H_
