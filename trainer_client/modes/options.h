// Where a trainer's batches are made: in its process, in processes that it
// starts, or by a fleet; under the names that users of GraphLearn-for-PyTorch
// know.
#ifndef TRIBUTARY_TRAINER_CLIENT_MODES_OPTIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_MODES_OPTIONS_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "partition/schema/feature_memory.h"
#include "trainer_client/core/options.h"

namespace tributary {

// GLT's CollocatedDistSamplingWorkerOptions: a server in the trainer's process.
struct CollocatedDistSamplingWorkerOptions {
  // The graph's folder; all its partitions are mapped. Ours: GLT takes an open
  // dataset.
  std::string graph;
  // Where it samples: "cpu". Others are refused.
  std::vector<std::string> worker_devices;
  // Sampling threads. 1 to 1024, 0: one per core. Ours.
  int num_threads = 0;
  // Features mapped, or read from their files. Ours.
  FeatureMemory feature_memory = FeatureMemory::kAuto;
  // Batches made at once. 1 to 32.
  int worker_concurrency = 4;
  // Threads of the client's executor. 1 to 64.
  int num_rpc_threads = 2;
  // The most that Next() waits for its batch. 0.1 s to 1 day.
  absl::Duration rpc_timeout = absl::Seconds(180);
  // Bytes of the receive ring: batches being made, ready or held.
  uint64_t channel_size = uint64_t{256} << 20;
  // Batches asked for ahead of the one being consumed. 1 to 1024.
  int prefetch_size = 4;
  // The ring in page-locked memory, which GPUs copy from at full speed and
  // without being waited for (DeviceCopies). Without CUDA: plain, and a
  // warning.
  bool pin_memory = false;
};

// GLT's MpDistSamplingWorkerOptions: the trainer starts num_workers sampling
// processes on its machine and ends them. They gather features straight into
// its ring, in shared memory.
struct MpDistSamplingWorkerOptions {
  // The graph's folder, mapped by each worker; the pages are shared. Ours.
  std::string graph;
  // Processes. 1 to 64.
  int num_workers = 1;
  // Where they sample: "cpu". Others are refused.
  std::vector<std::string> worker_devices;
  // Batches that a worker makes at once. 1 to 32.
  int worker_concurrency = 4;
  // Sampling threads of each worker. 1 to 1024. Ours.
  int num_threads = 1;
  // Features mapped, or read from their files. Ours.
  FeatureMemory feature_memory = FeatureMemory::kAuto;
  // Threads of the client's executor. 1 to 64.
  int num_rpc_threads = 2;
  // The most that Next() waits for its batch. 0.1 s to 1 day.
  absl::Duration rpc_timeout = absl::Seconds(180);
  // Bytes of the ring, all workers together; 0: 64 MiB for each worker, GLT's.
  uint64_t channel_size = 0;
  // Batches asked for ahead of the one being consumed. 1 to 1024.
  int prefetch_size = 4;
  // The ring in page-locked memory, which GPUs copy from at full speed and
  // without being waited for (DeviceCopies). Without CUDA: plain, and a
  // warning.
  bool pin_memory = false;
  // The ring in pages that the system keeps back (hugetlbfs), or an error.
  bool huge_pages = false;
  // The NUMA node that the ring's pages are taken from; -1: any.
  int numa_node = -1;
  // The `tributary` program; empty: beside the running program, else in PATH.
  std::string worker_program;
};

// One of the three; a loader is made over any, and its batches are the same.
using SamplingWorkerOptionsOfAMode =
    std::variant<CollocatedDistSamplingWorkerOptions,
                 MpDistSamplingWorkerOptions, RemoteDistSamplingWorkerOptions>;

// INVALID_ARGUMENT, naming the option as the user wrote it and what is allowed.
absl::Status Validate(const SamplingWorkerOptionsOfAMode& options);

// What the loader itself is told: of a local mode, everything but `servers`.
RemoteDistSamplingWorkerOptions LoaderOptionsOf(
    const SamplingWorkerOptionsOfAMode& options);

// What a command line says of it: a file, a graph's folder, or a fleet.
struct BatchSourceOptions {
  // Of ReadWorkerOptions; what follows is not looked at then, but
  // worker.num_clients and client_rank where the file says none. Empty: what
  // follows.
  std::string worker_options;
  std::string graph;    // a folder: collocated, or
  int num_workers = 0;  // mp, with so many processes; 0: collocated
  // Sampling threads of the server or of each worker; 0: the mode's default.
  int num_threads = 0;
  FeatureMemory feature_memory = FeatureMemory::kAuto;  // of local modes
  std::string worker_program;                           // of mp
  // remote: all of it; else what local modes have, buffer_size their
  // channel_size.
  RemoteDistSamplingWorkerOptions worker;
};
// Without worker_options.
SamplingWorkerOptionsOfAMode ModeOf(const BatchSourceOptions& source);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_MODES_OPTIONS_H_
