// The threads of a server.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVER_SERVER_POOLS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVER_SERVER_POOLS_H_

#include <algorithm>

#include "absl/time/time.h"
#include "common/runtime/thread_pool.h"
#include "sampler_server/service/load/busy_meter.h"

namespace tributary {

// Pools whose tasks post to one another, and so end together.
struct ServerPools {
  // `threads` make batches; a quarter of them, and one at least, answers peers,
  // and as many the calls of one caller on rows; one more is left for others.
  explicit ServerPools(int threads)
      : sampling_threads(threads),
        leaf_threads(std::max(1, threads / 4)),
        data_threads(std::max(1, threads / 4) + 1),
        batches("sampler", sampling_threads),
        leaf("leaf", leaf_threads),
        data("data", data_threads) {}
  ~ServerPools() {
    ThreadPool::EndTogether({&batches, &leaf, &data, &protocol});
  }

  // Returns for how long the threads have been in use, each pool as a share of
  // its own, and the process's CPU time as a share of the cores that it has: a
  // thread that samples stands for one, `requests.cpu` of a pod. The rate is
  // left 0.
  BusyTimes UsedTimes(absl::Duration process_cpu) const {
    BusyTimes times;
    times.sampling = batches.BusyTime() / sampling_threads;
    times.leaf = leaf.BusyTime() / leaf_threads;
    times.cpu = process_cpu / sampling_threads;
    return times;
  }

  const int sampling_threads;
  const int leaf_threads;
  const int data_threads;
  ThreadPool batches;
  ThreadPool leaf;
  ThreadPool data;
  // Credits, cancels and progress, so that long kernels never make a busy
  // server look dead.
  ThreadPool protocol{"protocol", 2};
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_SERVER_POOLS_H_
