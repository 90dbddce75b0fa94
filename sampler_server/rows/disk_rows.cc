#include "sampler_server/rows/disk_rows.h"

namespace tributary {

DiskRows::DiskRows(int threads, Metrics* metrics)
    : pool_("rows", threads),
      queue_(std::make_shared<RowQueue>(
          &reader_, RowQueueLimits{.pieces = threads},
          metrics != nullptr ? RowMetrics(*metrics) : RowMetrics())) {}

DiskRows::~DiskRows() { queue_->Stop(); }

std::unique_ptr<DiskRows> DiskRows::For(const Graph& graph, int threads,
                                        Metrics* metrics) {
  if (!graph.reads_features()) return nullptr;
  return std::make_unique<DiskRows>(threads, metrics);
}

}  // namespace tributary
