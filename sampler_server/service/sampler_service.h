// The server's side of every stream: batches for trainers, hops and rows for
// peers, descriptions for any client.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_SAMPLER_SERVICE_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_SAMPLER_SERVICE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "channel/frame_sender.h"
#include "channel/transport.h"
#include "common/hash/sha256.h"
#include "common/identity/identity.h"
#include "common/observe/metrics.h"
#include "common/proto/status.pb.h"
#include "common/runtime/byte_budget.h"
#include "common/runtime/cpu_meter.h"
#include "common/runtime/executor.h"
#include "common/runtime/shared_budget.h"
#include "sampler_server/access/access_policy.h"
#include "sampler_server/jobs/admission.h"
#include "sampler_server/service/catalog/graph_catalog.h"
#include "sampler_server/service/status/status_input.h"
#include "sampler_server/tensors/tensor_store.h"

namespace tributary {

class BatchStreams;
struct ServiceCore;

struct SamplerServiceOptions {
  uint64_t incarnation = 0;  // another one at each start of a server
  bool takes_tcp = false;    // NetworkServerOptions', for clients to know
  // Bytes of batches being made or sent (--memory-budget).
  size_t memory_budget = size_t{1} << 30;
  // The budgets below are of all streams, and shared by caller and stream as
  // SharedBudget says. Bytes of leaf requests and replies; a budget of their
  // own, so that peers never wait for trainers.
  size_t leaf_budget = size_t{128} << 20;
  // Bytes of control answers that wait to be sent; mapped bytes do not count.
  size_t control_budget = size_t{8} << 20;
  // Bytes of the requests and replies of data calls.
  size_t data_budget = size_t{64} << 20;
  // Bytes of small answers that wait to be sent (see UnreadStream).
  size_t answer_budget = size_t{64} << 20;
  // Bytes of messages of trainers that wait to be handled (see TrainerInbox).
  size_t inbox_budget = size_t{64} << 20;
  // Bytes of the plans, with their tables, of queued and running batches (see
  // PlanHolds).
  size_t plan_budget = size_t{64} << 20;
  // Bytes of mutable rows and their optimizers' state (--tensor-memory); open
  // rounds of gradients have a quarter as much beside it. 0: no rows.
  size_t tensor_memory = size_t{1} << 30;
  // Bytes that attempts take beside rows and gradients.
  size_t attempt_budget = size_t{64} << 20;
  // An attempt that no stream uses for so long ends.
  absl::Duration unused_attempt_timeout = absl::Seconds(60);
  AdmissionLimits admission;
  size_t max_streams = 4096;
  size_t max_sessions = 256;  // cached specifications
  // A credit's timeout is no longer than this, whatever its client asks, so
  // that its place in the queue comes back.
  absl::Duration max_credit_time = absl::Minutes(15);
  uint32_t num_clients = 0;   // that say farewell; see Farewells
  FrameSenderOptions frames;  // how batches are cut into frames
  size_t max_leaf_reply_bytes = size_t{4} << 20;  // longer ones are cut
};

// The objects that a service runs on; they outlive the service and its streams.
struct SamplerServiceEnvironment {
  Executor* executor = nullptr;       // runs batch tasks
  Executor* leaf_executor = nullptr;  // runs leaf requests, on its own threads
  // Runs data calls, on its own threads, so that batches and peers never wait
  // for them; null: `leaf_executor`.
  Executor* data_executor = nullptr;
  // How many threads it has, if several: the calls of one caller leave one free
  // for those of others.
  int data_threads = 1;
  // Runs messages in and out, on its own threads, so that Progress, credits and
  // frames never wait for tasks; null: `executor`.
  Executor* protocol_executor = nullptr;
  // CPU time of the executors' threads, by which jobs are charged; null: they
  // are charged for the bytes of batches, and for estimates of calls.
  CpuMeter::Clock cpu_clock = nullptr;
  Metrics* metrics = nullptr;  // null: nothing is counted
  // Runs when num_clients have said farewell; may be empty.
  std::function<void()> all_clients_gone;
};

// A graph that is served, and what is under way on it.
struct GraphState {
  std::string name;  // NAME@VERSION
  std::vector<uint32_t> partitions;
  size_t num_partitions = 0;  // here and elsewhere
  // Of them, those that neither this server nor a peer that answers it has.
  size_t num_unowned = 0;
  bool retiring = false;
  size_t active = 0;    // batches that are queued, being made or sent
  absl::Status damage;  // of its files; see Graph::damage
};

// Accepts the streams of a server and answers what comes over them: batch
// streams (TrainerStream), leaf streams of peers, control streams. Holds the
// graphs, the memory budgets, the sessions and the admission of batches, which
// all streams share. Runs on the executors and transports that it is given: in
// a server, an embedded server, a worker and a simulation alike.
//
// Thread-safe. Streams keep the shared state alive beyond the service itself,
// and the environment must outlive them, so Drain before destroying it. The
// destructor closes the batch streams.
class SamplerService final : public StreamAcceptor {
 public:
  SamplerService(const SamplerServiceOptions& options,
                 const SamplerServiceEnvironment& environment);
  // Serves `graph` from the beginning.
  SamplerService(const SamplerServiceOptions& options,
                 const SamplerServiceEnvironment& environment,
                 ServedGraph graph);
  ~SamplerService() override;

  std::shared_ptr<StreamHandler> Accept(StreamMethod method, CallerPtr caller,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override;

  // Serves the graph from now on, as the newest one of its name. Errors are
  // those of GraphCatalog::Add.
  absl::Status AddGraph(ServedGraph graph);
  // Takes no new batches of the graph with that layout, and goes on answering
  // its peers, which may not know yet, until `deadline` and until no attempt
  // has mutable rows of it. Then the graph leaves the catalog, and `gone` runs
  // once the batches that were accepted before are made and sent. NOT_FOUND
  // when it is not served or is being retired already.
  absl::Status RetireGraph(const Sha256Digest& layout, absl::Time deadline,
                           absl::AnyInvocable<void()> gone);
  std::vector<GraphState> graphs() const;

  // Sets which jobs may read which graphs from now on; null: each may read all,
  // as before the first call. Credits that were accepted before are served.
  void SetPolicy(std::shared_ptr<const AccessPolicy> policy);

  // Takes no new batches from now on, and goes on answering calls. `drained`
  // runs once the batches that were accepted before are made and sent, and the
  // attempts that have rows here have ended; what is left at `deadline` is
  // cancelled by closing the batch streams and ending the attempts. Call it at
  // most once.
  void Drain(absl::Time deadline, absl::AnyInvocable<void()> drained);
  bool draining() const;

  // The budgets of batches, of leaf requests and of data calls.
  ByteBudget& budget() const;
  SharedBudget& leaf_budget() const;
  SharedBudget& data_budget() const;
  // Returns the time that data calls have taken so far, as it is charged.
  absl::Duration data_time() const;
  // Returns all budgets that streams share by caller, with what is in use now.
  std::vector<BudgetState> shared_budgets() const;
  // Batches that are queued, being made or sent.
  size_t active() const;
  // Returns how many of them wait for their turn.
  size_t queued() const;
  // Returns the number of specifications that are cached.
  size_t num_sessions() const;
  // The mutable rows.
  TensorStore& tensors() const;
  std::vector<JobState> jobs() const;
  // Returns how much the trainers of each job wait; see WaitReports::ByJob.
  std::map<std::string, double> trainer_waits() const;
  // The turns of batches.
  std::shared_ptr<const Admission> admission() const;
  // Sets what returns the share of the last minute that the server was busy, on
  // any thread, for whoever asks for its description. Call it before the first
  // stream; without it the server says 0.
  void SetBusyRatio(std::function<double()> busy_ratio);
  // Sets what returns that which the server knows beyond its service; it is
  // called on any thread and must not wait. Call it before the first stream.
  void SetFacts(std::function<ServerFacts()> facts);
  // Counts the events of the last minute from now on, in rounds of 5 s on the
  // protocol executor; without it they are counted from the start.
  void CountLastMinute();
  // Returns the status for a caller of that identity; see StatusFor.
  v1::ServerStatus StatusFor(const Identity& identity) const;
  // Brings the metrics of jobs in the environment's registry up to date.
  void UpdateJobMetrics();

 private:
  const std::shared_ptr<ServiceCore> core_;
  const std::shared_ptr<BatchStreams> streams_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_SAMPLER_SERVICE_H_
