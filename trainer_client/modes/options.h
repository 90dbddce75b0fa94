// Options of the three modes, which say where a trainer's batches are made: in
// its process, in worker processes on its machine, or by a fleet of servers.
// Names are those of GraphLearn-for-PyTorch (GLT); fields marked "Ours" are not
// in GLT. Validate() checks ranges. For example:
//
//   MpDistSamplingWorkerOptions options{.graph = "cora4", .num_workers = 2};
#ifndef TRIBUTARY_TRAINER_CLIENT_MODES_OPTIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_MODES_OPTIONS_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/trace/batch_timeline.h"
#include "partition/schema/feature_memory.h"
#include "trainer_client/core/fleet/wait_notice.h"
#include "trainer_client/core/options.h"

namespace tributary {

// Mode collocated: batches are made by a server in the trainer's process. GLT's
// CollocatedDistSamplingWorkerOptions.
struct CollocatedDistSamplingWorkerOptions {
  // The graph folder; all its partitions are mapped. Ours: GLT takes an open
  // dataset.
  std::string graph;
  // Devices to sample on: "cpu". Others are refused.
  std::vector<std::string> worker_devices;
  // Sampling threads. 1 to 1024, 0: one per core. Ours.
  int num_threads = 0;
  // Whether features are mapped or read from their files. Ours.
  FeatureMemory feature_memory = FeatureMemory::kAuto;
  // Batches made at once. 1 to 32.
  int worker_concurrency = 4;
  // Threads of the client's executor. 1 to 64.
  int num_rpc_threads = 2;
  // The longest that Next() waits for its batch. 0.1 s to 1 day.
  absl::Duration rpc_timeout = absl::Seconds(180);
  // Bytes of the receive ring: batches being made, ready or held.
  uint64_t channel_size = uint64_t{256} << 20;
  // Batches requested ahead of the one being consumed. 1 to 1024.
  int prefetch_size = 4;
  // Page-lock the ring, so that GPUs copy from it at full speed and
  // asynchronously (DeviceCopies). Without CUDA: a warning, and plain memory.
  bool pin_memory = false;
  // As RemoteDistSamplingWorkerOptions::trace_file. Ours.
  std::string trace_file;
  // Not used: accepted for GLT's sake, where they are the rendezvous of the
  // workers' group. The server here is in the trainer's process. 0 to 65535.
  std::string master_addr;
  int master_port = 0;
};

// Mode mp: the trainer starts num_workers sampling processes on its machine,
// and ends them. They gather features straight into its ring, in shared memory.
// GLT's MpDistSamplingWorkerOptions.
struct MpDistSamplingWorkerOptions {
  // The graph folder, mapped by each worker; the pages are shared. Ours.
  std::string graph;
  // Processes. 1 to 64.
  int num_workers = 1;
  // Devices to sample on: "cpu". Others are refused.
  std::vector<std::string> worker_devices;
  // Batches that each worker makes at once. 1 to 32.
  int worker_concurrency = 4;
  // Sampling threads of each worker. 1 to 1024. Ours.
  int num_threads = 1;
  // Whether features are mapped or read from their files. Ours.
  FeatureMemory feature_memory = FeatureMemory::kAuto;
  // Threads of the client's executor. 1 to 64.
  int num_rpc_threads = 2;
  // The longest that Next() waits for its batch. 0.1 s to 1 day.
  absl::Duration rpc_timeout = absl::Seconds(180);
  // Bytes of the ring, all workers together; 0: 64 MiB for each worker, GLT's.
  uint64_t channel_size = 0;
  // Batches requested ahead of the one being consumed. 1 to 1024.
  int prefetch_size = 4;
  // Page-lock the ring, so that GPUs copy from it at full speed and
  // asynchronously (DeviceCopies). Without CUDA: a warning, and plain memory.
  bool pin_memory = false;
  // As RemoteDistSamplingWorkerOptions::trace_file. Ours.
  std::string trace_file;
  // Allocate the ring in reserved huge pages (hugetlbfs); an error without
  // them.
  bool huge_pages = false;
  // The NUMA node that the ring's pages are allocated on; -1: any.
  int numa_node = -1;
  // The `tributary` program; empty: the one beside the running program, else
  // the one in PATH.
  std::string worker_program;
  // Not used: accepted for GLT's sake, where they are the rendezvous of the
  // workers' group. Workers here share a socket and the ring with the trainer
  // that has started them, and open no port. 0 to 65535.
  std::string master_addr;
  int master_port = 0;
};

// The options of one mode. Loaders are created in the same way over all three,
// and their batches are the same.
using SamplingWorkerOptionsOfAMode =
    std::variant<CollocatedDistSamplingWorkerOptions,
                 MpDistSamplingWorkerOptions, RemoteDistSamplingWorkerOptions>;

// Returns INVALID_ARGUMENT, naming the option as users write it and what is
// allowed, for a value out of range.
absl::Status Validate(const SamplingWorkerOptionsOfAMode& options);

// Returns the options for loaders; for a local mode everything but `servers`.
RemoteDistSamplingWorkerOptions LoaderOptionsOf(
    const SamplingWorkerOptionsOfAMode& options);

// The mode as a command line gives it: by an options file, a graph folder, or a
// fleet.
struct BatchSourceOptions {
  // The file for ReadWorkerOptions(). If set, the fields below are ignored,
  // except worker.tls, worker.trace_file, worker.num_clients and
  // worker.client_rank where the file gives none.
  std::string worker_options;
  std::string graph;    // the folder of a local mode; empty: remote
  int num_workers = 0;  // processes of mode mp; 0: collocated
  // Sampling threads of the server or of each worker; 0: the mode's default.
  int num_threads = 0;
  FeatureMemory feature_memory = FeatureMemory::kAuto;  // for local modes
  std::string worker_program;                           // for mp
  // The options of mode remote. For a local mode those that it has, too;
  // buffer_size is its channel_size.
  RemoteDistSamplingWorkerOptions worker;
  // See LoaderEnvironment. Used with worker_options too.
  WaitObserver on_wait;
  TracedObserver on_traced;
};
// Returns the mode's options. Requires an empty `source.worker_options`.
SamplingWorkerOptionsOfAMode ModeOf(const BatchSourceOptions& source);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_MODES_OPTIONS_H_
