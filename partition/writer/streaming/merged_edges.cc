#include "partition/writer/streaming/merged_edges.h"

#include <algorithm>

#include "common/runtime/mutex.h"
#include "common/runtime/parallel_for.h"
#include "common/text/status.h"
#include "partition/writer/streaming/sorted_edges.h"

namespace tributary {

absl::StatusOr<MergedCounts> CountMerged(const SpillReader& spill,
                                         const EdgeRecordForm& form,
                                         const NodeRanges& ranges,
                                         const NodeTable& nodes,
                                         uint32_t num_partitions, int threads,
                                         const RowsDone& nodes_done) {
  MergedCounts kept;
  kept.by_partition.resize(num_partitions);
  Mutex mutex;  // of `kept`
  RETURN_IF_ERROR(ParallelFor(ranges.size(), 1, threads, [&](size_t r, size_t) {
    const int64_t begin = ranges.begins[r], end = ranges.begins[r + 1];
    ASSIGN_OR_RETURN(const SortedEdges sorted,
                     SortedEdges::Read(spill, r, end - begin, form, true));
    int64_t largest = -1;
    for (uint64_t i = 0; i < sorted.num_edges(); ++i) {
      largest = std::max(largest, sorted.edge(i).edge_id);
    }
    MutexLock lock(mutex);
    kept.largest_id = std::max(kept.largest_id, largest);
    for (int64_t v = begin; v < end; ++v) {
      const auto row = static_cast<size_t>(v - begin);
      kept.by_partition[nodes.partition_of()[v]] +=
          static_cast<int64_t>(sorted.indptr()[row + 1] - sorted.indptr()[row]);
    }
    nodes_done(end - begin);
    return absl::OkStatus();
  }));
  for (const int64_t count : kept.by_partition) kept.num_edges += count;
  return kept;
}

}  // namespace tributary
