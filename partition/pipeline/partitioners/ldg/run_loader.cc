#include "partition/pipeline/partitioners/ldg/run_loader.h"

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {

template <typename Id>
absl::Status RunLoader<Id>::CountBucket() {
  const uint64_t first = buckets_.first_node(bucket_);
  counts_.assign(buckets_.end_node(bucket_) - first, 0);
  taken_ = 0;
  bool foreign = false;
  RETURN_IF_ERROR(buckets_.template ForEachPair<Id>(
      bucket_, [&](absl::Span<const EndPair<Id>> pairs) {
        for (const EndPair<Id>& pair : pairs) {
          const uint64_t i = pair.larger - first;
          if (i < counts_.size() && pair.smaller < pair.larger) {
            ++counts_[i];
          } else {
            foreign = true;
          }
        }
      }));
  if (!foreign) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("bucket ", bucket_,
                   " of --method ldg in the work folder is damaged; "
                   "remove the folder"));
}

template <typename Id>
void RunLoader<Id>::TakeNodes(NodeRun<Id>& run) {
  run.first = buckets_.first_node(bucket_) + taken_;
  run.bucket = bucket_;
  run.ends.clear();
  uint64_t total = 0;
  while (taken_ < counts_.size()) {
    const uint64_t next = total + counts_[taken_];
    const uint64_t bytes = next * sizeof(Id) + (run.ends.size() + 1) * 8;
    if (bytes > run_bytes_ && !run.ends.empty()) break;
    run.ends.push_back(total);
    total = next;
    ++taken_;
    if (bytes > run_bytes_) break;  // one node alone
  }
  run.num_nodes = run.ends.size();
  run.oversized = run.num_nodes == 1 && total * sizeof(Id) + 8 > run_bytes_;
  run.neighbors.resize(run.oversized ? 0 : total);
}

// ends[i] is at first where node i's neighbours begin, at last where they end.
template <typename Id>
absl::Status RunLoader<Id>::Fill(NodeRun<Id>& run) const {
  return buckets_.template ForEachPair<Id>(
      run.bucket, [&](absl::Span<const EndPair<Id>> pairs) {
        uint64_t* const ends = run.ends.data();
        for (const EndPair<Id>& pair : pairs) {
          const uint64_t i = pair.larger - run.first;
          if (i < run.num_nodes) run.neighbors[ends[i]++] = pair.smaller;
        }
      });
}

template <typename Id>
absl::StatusOr<bool> RunLoader<Id>::Next(NodeRun<Id>& run) {
  if (taken_ == counts_.size()) {
    if (!counts_.empty()) ++bucket_;
    if (bucket_ >= buckets_.size()) return false;
    RETURN_IF_ERROR(CountBucket());
  }
  TakeNodes(run);
  if (!run.oversized) RETURN_IF_ERROR(Fill(run));
  return true;
}

template class RunLoader<uint32_t>;
template class RunLoader<uint64_t>;

}  // namespace tributary
