// A sampling service within one process, for the one trainer that it serves:
// what an EmbeddedServer and a SamplingWorker have in common.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVER_LOCAL_SERVICE_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVER_LOCAL_SERVICE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/runtime/thread_pool.h"
#include "partition/format/graph.h"
#include "partition/schema/feature_memory.h"
#include "sampler_server/rows/disk_rows.h"
#include "sampler_server/service/sampler_service.h"

namespace tributary {

struct LocalServiceOptions {
  std::string graph;    // folder; all its partitions are mapped
  int num_threads = 0;  // 1 to kMaxSamplingThreads; 0: one per core
  // Bytes of working memory of batches being made; their rooms are the
  // trainer's.
  uint64_t memory_budget = uint64_t{1} << 30;
  uint64_t tensor_memory = uint64_t{1} << 30;  // of mutable rows; 0: none
  FeatureMemory feature_memory = FeatureMemory::kAuto;
  bool verify = false;  // check every file's CRC first
  // Credits, cancels and progress run on a thread of their own, so that long
  // kernels never make a busy process look dead.
  bool protocol_thread = false;
};

// A graph, its threads and a SamplerService, without peers and without metrics;
// a transport of the owner connects the trainer to service(). Thread-safe.
class LocalService {
 public:
  // Opens the graph and starts the threads. Errors are those of Graph::Open,
  // and INVALID_ARGUMENT for an option out of range.
  static absl::StatusOr<std::unique_ptr<LocalService>> Start(
      const LocalServiceOptions& options);
  // Calls CancelAll, then joins the threads.
  ~LocalService();

  const std::shared_ptr<SamplerService>& service() const { return service_; }
  // Runs the batch tasks; its users may post tasks of their own.
  Executor* executor() { return &pools_.batches; }
  const Graph& graph() const { return *graph_; }

  // Cancels every batch and waits until none is left. Call it while transports
  // still take messages, from one thread at a time.
  void CancelAll();

 private:
  LocalService(std::shared_ptr<const Graph> graph, int num_threads,
               const LocalServiceOptions& options);

  // Their tasks post to one another until all have ended.
  struct Pools {
    Pools(int num_threads, bool protocol_thread);
    ~Pools() { ThreadPool::EndTogether({&batches, &data, &side}); }

    ThreadPool batches;
    ThreadPool data;  // for mutable rows and reads of the graph
    // For the protocol thread, and for leaf requests, which nobody sends.
    ThreadPool side;
  };

  const std::shared_ptr<const Graph> graph_;
  Pools pools_;
  // Null if features are in memory. Destroyed before the executors, on which
  // the tasks that wait for its reads go on.
  const std::unique_ptr<DiskRows> rows_;
  std::shared_ptr<SamplerService> service_;
  bool cancelled_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_LOCAL_SERVICE_H_
