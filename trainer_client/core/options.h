// The options by which a trainer reaches its sampling servers. Names are those
// of GraphLearn-for-PyTorch (GLT) where it has the option.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_OPTIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/fleet/discovery_source.h"
#include "common/identity/tls_files.h"

namespace tributary {

// GLT's RemoteDistSamplingWorkerOptions: batches come from a fleet of servers.
// A loader refuses a wrong value when it is created, naming the field.
//
//   RemoteDistSamplingWorkerOptions worker;
//   worker.servers = "10.0.0.1:50051,10.0.0.2:50051";
//   worker.num_clients = world_size;  // spreads trainers over servers
//   worker.client_rank = rank;
//   worker.prefetch_size = 8;
//   RETURN_IF_ERROR(worker.Validate());
struct RemoteDistSamplingWorkerOptions {
  // HOST:PORT,... | file:PATH (read again every 200 ms; DGL's ip_config.txt is
  // such a file) | dns:///NAME:PORT (by its TTL). GLT has no such option: it
  // finds servers by master_addr.
  std::string servers;
  // The servers to use, by their index in the list, and no others. Empty: all,
  // shared among num_clients in order, as in GLT.
  std::vector<int> server_rank;
  // The number of trainers that share the servers, 0 to 65536, and which of
  // them this is, 0 to num_clients - 1 (GLT's init_client). A trainer prefers
  // its own share of the servers, and uses others when none of these can take a
  // batch. 0: all servers alike.
  int num_clients = 0;
  int client_rank = 0;
  // The most servers that a loader keeps streams to, 0 to 65536; 0: all. In a
  // larger fleet each trainer has servers of its own choice, among them its own
  // share and an owner of each partition (though these be more), and others
  // once they fail or drain. Not in GLT.
  int max_servers = 16;
  // Streams to each server. 1 to 64.
  int num_workers = 1;
  // The devices that servers sample on: only "cpu" is allowed.
  std::vector<std::string> worker_devices;
  // Batches that a server makes concurrently for one stream. 1 to 32, as in
  // GLT.
  int worker_concurrency = 4;
  // The address of one server, used when `servers` is empty. GLT's is that of
  // its rendezvous, which servers and trainers share.
  std::string master_addr;
  int master_port = 0;
  // Threads of the client's executor. 1 to 64.
  int num_rpc_threads = 2;
  // How long Next() waits for its batch at most; then it fails with what is
  // known of the servers. 0.1 s to 1 day.
  absl::Duration rpc_timeout = absl::Seconds(180);
  // Bytes of the receive ring, which holds batches that are being received,
  // ready, or leased by the user. 64 KiB to the machine's memory.
  uint64_t buffer_size = uint64_t{256} << 20;
  // The graph, of those that the servers hold: NAME for its newest version,
  // which the loader then keeps to, or NAME@VERSION, with the first digits of
  // the content digest. Empty: the servers' only graph. Not in GLT.
  std::string graph_name;
  // Batches requested ahead of the one being consumed. 1 to 1024.
  int prefetch_size = 4;
  // Puts the ring into page-locked memory, from which GPUs copy at full speed
  // and asynchronously. Requires a LoaderEnvironment whose make_ring does so,
  // as that of SamplingWorkers; a loader refuses one without make_ring.
  bool pin_memory = false;
  // Rows of features that this machine's trainers hold, one copy for all, so
  // that servers need not send them: "auto", as many as pay, in an eighth of
  // the memory at most (docs/trainer-cache.md); "off"; a share of each node
  // type's rows, as "0.2"; or a size of memory, as "2GB". They are fetched
  // while batches come, the hottest ones first. Batches are the same bytes with
  // any cache. Not in GLT.
  std::string trainer_cache = "auto";
  // The order of the rows: the name of one of the graph's hot lists (tributary
  // cache --list). Empty: one that was sampled, else that by degree.
  std::string trainer_cache_list;
  // The name of this job on servers, for fairness and logs. 1 to 256 bytes of
  // UTF-8.
  std::string worker_key = "default";
  // What carries batches and rows: "auto", TCP to servers that take it, as long
  // as it gets through, else gRPC; "grpc"; or "tcp". Not in GLT.
  std::string transport = "auto";
  // A file that a line of OTLP/JSON is appended to for each batch that is
  // taken, with the spans of where its time went (docs/trace.md); several
  // trainers of a machine may name the same file. Empty: batches are not
  // traced. Requires a LoaderEnvironment with on_traced, as that of
  // SamplingWorkers, which opens the file. Not in GLT.
  std::string trace_file;
  // The files by which this trainer proves which job it is of and checks that
  // servers are samplers; empty: plain text. With them the job is that of the
  // certificate. Not in GLT.
  TlsFiles tls;

  // INVALID_ARGUMENT with the field, its value and what is allowed.
  absl::Status Validate() const;
  // Returns where the servers are listed. Requires Validate.
  absl::StatusOr<DiscoverySource> Source() const;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_OPTIONS_H_
