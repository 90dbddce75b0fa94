// How a trainer reaches its sampling servers, under the names that users of
// GraphLearn-for-PyTorch know.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_OPTIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/fleet/discovery_source.h"

namespace tributary {

// GLT's RemoteDistSamplingWorkerOptions: batches come from a fleet of servers.
// A wrong value is an error at construction of the loader, naming the field.
struct RemoteDistSamplingWorkerOptions {
  // HOST:PORT,... | file:PATH (read again every 200 ms) | dns:///NAME:PORT
  // (every second). Ours; GLT finds servers through master_addr.
  std::string servers;
  // Which of the servers, by their number in the list, and no others. Empty:
  // spread over num_clients by order, as in GLT.
  std::vector<int> server_rank;
  // The trainers that share the servers, and which of them this is: its own
  // servers come first, others when none of those can take a batch. 0: all
  // servers alike. GLT has them from init_client. 0 to 65536; 0 to num_clients
  // - 1.
  int num_clients = 0;
  int client_rank = 0;
  // Streams to each server. 1 to 64.
  int num_workers = 1;
  // Where servers sample: "cpu". Others are refused.
  std::vector<std::string> worker_devices;
  // Batches that a server makes at once for one stream. 1 to 32, as in GLT.
  int worker_concurrency = 4;
  // Used in place of `servers` when that is empty.
  std::string master_addr;
  int master_port = 0;
  // Threads of the client's executor. 1 to 64.
  int num_rpc_threads = 2;
  // The most that Next() waits for its batch, whatever servers report; then it
  // fails with what is known of them. 0.1 s to 1 day.
  absl::Duration rpc_timeout = absl::Seconds(180);
  // Bytes of the receive ring: batches on their way, ready or held.
  uint64_t buffer_size = uint64_t{256} << 20;
  // Which of the graphs that the servers hold: NAME, or NAME@VERSION with the
  // first digits of its content digest, for exactly that one. NAME alone is the
  // newest, which the loader then keeps to. Empty: the only one. Ours.
  std::string graph_name;
  // Batches asked for ahead of the one being consumed. 1 to 1024.
  int prefetch_size = 4;
  // The ring in page-locked memory, which GPUs copy from at full speed and
  // without being waited for. Whoever makes the ring sees to it: an environment
  // of SamplingWorkers does, one without make_ring is refused.
  bool pin_memory = false;
  // Names this job to servers, for fairness and logs.
  std::string worker_key = "default";

  absl::Status Validate() const;
  // Where the servers are listed, after Validate.
  absl::StatusOr<DiscoverySource> Source() const;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_OPTIONS_H_
