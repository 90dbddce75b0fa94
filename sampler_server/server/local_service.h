// The service of a process that serves one trainer: threads, rows, a service.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVER_LOCAL_SERVICE_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVER_LOCAL_SERVICE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "common/runtime/thread_pool.h"
#include "partition/format/graph.h"
#include "sampler_server/rows/disk_rows.h"
#include "sampler_server/service/sampler_service.h"

namespace tributary {

inline constexpr int kMaxSamplingThreads = 1024;

struct LocalServiceOptions {
  int threads = 1;  // 1 to kMaxSamplingThreads
  uint64_t memory_budget = 0;
  uint64_t incarnation = 1;
  // Credits, cancels and progress on a thread of their own, so that long
  // kernels never make a busy process look dead.
  bool protocol_thread = false;
};

// Has all partitions, no peers and no figures for operators. Thread-safe.
class LocalService {
 public:
  LocalService(std::shared_ptr<const Graph> graph,
               const LocalServiceOptions& options);
  // CancelAll; then the threads end.
  ~LocalService();

  const std::shared_ptr<SamplerService>& service() const { return service_; }
  Executor* executor() { return &pool_; }

  // Cancels every batch and waits for its end: call it while transports still
  // take messages. Not from two threads at once.
  void CancelAll();

 private:
  ThreadPool pool_;
  ThreadPool side_pool_;  // of protocol, and of leaf calls, which nobody makes
  // Null: features are in memory. Its reads end before the executors do, where
  // what waits for them goes on.
  const std::unique_ptr<DiskRows> rows_;
  std::shared_ptr<SamplerService> service_;
  bool cancelled_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_LOCAL_SERVICE_H_
