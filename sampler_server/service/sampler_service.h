// The server's side of every stream: batches for trainers, hops and rows for
// peers, descriptions for anyone.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_SAMPLER_SERVICE_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_SAMPLER_SERVICE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "channel/frame_sender.h"
#include "channel/transport.h"
#include "common/hash/sha256.h"
#include "common/observe/metrics.h"
#include "common/runtime/byte_budget.h"
#include "common/runtime/cpu_meter.h"
#include "common/runtime/executor.h"
#include "sampler_server/service/graph_catalog.h"
#include "sampler_server/service/jobs/admission.h"

namespace tributary {

class BatchStreams;
struct ServiceCore;

struct SamplerServiceOptions {
  uint64_t incarnation = 0;  // differs at each start of a server
  // Bytes of batches being made or sent (--memory-budget).
  size_t memory_budget = size_t{1} << 30;
  // Bytes of leaf requests and replies; apart, so that peers never wait for
  // trainers.
  size_t leaf_budget = size_t{128} << 20;
  // Of control answers that wait to be sent, over all streams; mapped bytes do
  // not count.
  size_t control_budget = size_t{8} << 20;
  AdmissionLimits admission;
  size_t max_streams = 4096;
  size_t max_sessions = 256;  // specifications that are remembered
  uint32_t num_clients = 0;   // Farewells'
  FrameSenderOptions frames;  // how batches are cut
  size_t max_leaf_reply_bytes = size_t{4} << 20;  // then it is cut
};

// What it runs on; all outlive it and its streams.
struct SamplerServiceEnvironment {
  Executor* executor = nullptr;
  Executor* leaf_executor = nullptr;  // threads of its own, for leaf requests
  // Threads of its own for messages in and out, so that Progress, credits and
  // frames never wait for tasks; null: `executor`.
  Executor* protocol_executor = nullptr;
  // Of the threads of `executor`, to charge jobs for what they compute; null:
  // they are charged for bytes alone.
  CpuMeter::Clock cpu_clock = nullptr;
  Metrics* metrics = nullptr;  // null: none
  // Farewells'; may be empty.
  std::function<void()> all_clients_gone;
};

// What is under way on a graph.
struct GraphState {
  std::string name;  // NAME@VERSION
  std::vector<uint32_t> partitions;
  bool retiring = false;
  size_t active = 0;  // batches that wait, are being made or sent
};

// Thread-safe. Streams keep what they share alive beyond the service itself;
// the environment must outlive them: Drain first.
class SamplerService final : public StreamAcceptor {
 public:
  SamplerService(const SamplerServiceOptions& options,
                 const SamplerServiceEnvironment& environment);
  // Serves that graph from the beginning.
  SamplerService(const SamplerServiceOptions& options,
                 const SamplerServiceEnvironment& environment,
                 ServedGraph graph);
  ~SamplerService() override;

  std::shared_ptr<StreamHandler> Accept(StreamMethod method, std::string peer,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override;

  // Serves the graph from now on, and of several with its name before all that
  // came earlier. What GraphCatalog::Add says.
  absl::Status AddGraph(ServedGraph graph);
  // Takes no new batch of the graph with that layout and goes on answering its
  // peers, who may not know yet, until `deadline`. Then it is out: `gone` runs
  // once what was taken before is made and sent. NOT_FOUND: it is not served,
  // or being retired already.
  absl::Status RetireGraph(const Sha256Digest& layout, absl::Time deadline,
                           absl::AnyInvocable<void()> gone);
  std::vector<GraphState> graphs() const;

  // Takes no new batch from now on and goes on answering calls. `drained` runs
  // once what was taken before is made and sent, or cancelled at `deadline`,
  // which closes the batch streams. At most once.
  void Drain(absl::Time deadline, absl::AnyInvocable<void()> drained);
  bool draining() const;

  // Whoever else needs of the same memory reserves it here.
  ByteBudget& budget() const;
  ByteBudget& leaf_budget() const;
  // Batches that wait, are being made or sent.
  size_t active() const;
  size_t queued() const;
  std::vector<JobState> jobs() const;
  // Brings the figures of jobs in the environment's metrics up to date.
  void ShowJobs();

 private:
  const std::shared_ptr<ServiceCore> core_;
  const std::shared_ptr<BatchStreams> streams_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_SAMPLER_SERVICE_H_
