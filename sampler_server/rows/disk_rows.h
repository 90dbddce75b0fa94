// Threads that read rows from files for a whole server.
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

// A RowQueue and its disk threads. Destroy it before the executors whose
// strands it answers on; it waits for the reads that are under way.
class DiskRows {
 public:
  // `threads`, which is also how many pieces are read at once: 1 to
  // kMaxFeatureReaders. `metrics`: null or longer-lived.
  DiskRows(int threads, Metrics* metrics);
  ~DiskRows();

  // Null where the graph has its features in memory: there is nothing to read.
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
