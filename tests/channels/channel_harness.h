// The three ways in which batches reach a trainer, behind one interface, so
// that channel_conformance_test runs every test over each of them.
#ifndef TRIBUTARY_TESTS_CHANNELS_CHANNEL_HARNESS_H_
#define TRIBUTARY_TESTS_CHANNELS_CHANNEL_HARNESS_H_

#include <signal.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "tests/channels/server_process.h"
#include "trainer_client/modes/sampling_workers.h"

namespace tributary {

struct ChannelOptions {
  std::string graph;
  uint64_t ring_bytes = uint64_t{16} << 20;
  int prefetch_size = 4;
  absl::Duration rpc_timeout = absl::Seconds(30);
};

// The `tributary` program with struck_program.cc linked in, which a test can
// make kill or stop itself; one of the tests' data files.
inline constexpr char kProgram[] = "tests/channels/struck_tributary";

// A server in the trainer's process.
class CollocatedChannel {
 public:
  static constexpr const char* kRingOption = "channel_size";

  std::unique_ptr<SamplingWorkers> Open(const ChannelOptions& options) {
    CollocatedDistSamplingWorkerOptions worker;
    worker.graph = options.graph;
    worker.num_threads = 2;
    worker.channel_size = options.ring_bytes;
    worker.prefetch_size = options.prefetch_size;
    worker.rpc_timeout = options.rpc_timeout;
    return SamplingWorkers::Open(worker).value();
  }
};

// Two processes, over shared memory.
class MpChannel {
 public:
  static constexpr const char* kRingOption = "channel_size";

  std::unique_ptr<SamplingWorkers> Open(const ChannelOptions& options) {
    MpDistSamplingWorkerOptions worker;
    worker.graph = options.graph;
    worker.num_workers = 2;
    worker.channel_size = options.ring_bytes;
    worker.prefetch_size = options.prefetch_size;
    worker.rpc_timeout = options.rpc_timeout;
    worker.worker_program = kProgram;
    return SamplingWorkers::Open(worker).value();
  }
  void KillOne(SamplingWorkers& workers) { Signal(workers, 1, SIGKILL); }
  // Freezes the workers, because dead ones would be started again.
  void KillAll(SamplingWorkers& workers) { Signal(workers, 2, SIGSTOP); }
  void ThawAll(SamplingWorkers& workers) { Signal(workers, 2, SIGCONT); }

 private:
  static void Signal(SamplingWorkers& workers, size_t most, int signal) {
    for (const pid_t pid : workers.pids()) {
      if (most-- > 0) kill(pid, signal);
    }
  }
};

// Two server processes, over gRPC.
class RemoteChannel {
 public:
  static constexpr const char* kRingOption = "buffer_size";

  std::unique_ptr<SamplingWorkers> Open(const ChannelOptions& options) {
    while (servers_.size() < 2) {
      servers_.push_back(
          std::make_unique<ServerProcess>(kProgram, options.graph));
      addresses_.push_back(servers_.back()->ReadAddress());
    }
    RemoteDistSamplingWorkerOptions worker;
    worker.servers = absl::StrJoin(addresses_, ",");
    worker.buffer_size = options.ring_bytes;
    worker.prefetch_size = options.prefetch_size;
    worker.rpc_timeout = options.rpc_timeout;
    return SamplingWorkers::Open(worker).value();
  }
  void KillOne(SamplingWorkers&) { servers_[0]->Signal(SIGKILL); }
  void KillAll(SamplingWorkers&) { SignalAll(SIGKILL); }
  void ThawAll(SamplingWorkers&) { SignalAll(SIGCONT); }

 private:
  void SignalAll(int signal) {
    for (const auto& server : servers_) server->Signal(signal);
  }

  std::vector<std::unique_ptr<ServerProcess>> servers_;
  std::vector<std::string> addresses_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_CHANNELS_CHANNEL_HARNESS_H_
