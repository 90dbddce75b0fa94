// The threads of a server that read rows of features from files.
#ifndef TRIBUTARY_SAMPLER_SERVER_ROWS_DISK_ROWS_H_
#define TRIBUTARY_SAMPLER_SERVER_ROWS_DISK_ROWS_H_

#include <memory>

#include "common/observe/metrics.h"
#include "common/runtime/thread_pool.h"
#include "partition/format/graph.h"
#include "sampler_server/rows/row_queue.h"

namespace tributary {

inline constexpr int kDefaultFeatureReaders = 8;
inline constexpr int kMaxFeatureReaders = 256;

// Owns a RowQueue and the threads that read its pieces; one object serves all
// graphs of a server. Destroy it before the executors of the strands that it
// answers on; the destructor cancels waiting requests and waits for the reads
// that are under way. Thread-safe.
class DiskRows {
 public:
  // `threads` is also the number of pieces read at once: 1 to
  // kMaxFeatureReaders. `metrics` is null or outlives this.
  DiskRows(int threads, Metrics* metrics);
  ~DiskRows();

  // Returns null if the graph has its features in memory.
  static std::unique_ptr<DiskRows> For(const Graph& graph, int threads,
                                       Metrics* metrics);

  const std::shared_ptr<RowQueue>& queue() const { return queue_; }

 private:
  ThreadPool pool_;
  ThreadPieceReader reader_{&pool_};
  const std::shared_ptr<RowQueue> queue_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ROWS_DISK_ROWS_H_
