// Sets of partitions as runs of consecutive numbers.
#ifndef TRIBUTARY_COMMON_STATUS_PARTITION_RUNS_H_
#define TRIBUTARY_COMMON_STATUS_PARTITION_RUNS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

namespace tributary {

struct PartitionSpan {
  uint32_t first = 0;
  uint32_t last = 0;
  friend bool operator==(const PartitionSpan&, const PartitionSpan&) = default;
};

// Returns the runs of partitions that ascend strictly.
inline std::vector<PartitionSpan> RunsOf(
    absl::Span<const uint32_t> partitions) {
  std::vector<PartitionSpan> runs;
  for (const uint32_t p : partitions) {
    if (!runs.empty() && p == runs.back().last + 1) {
      runs.back().last = p;
    } else {
      runs.push_back({p, p});
    }
  }
  return runs;
}

// Returns "0-15, 17"; of more than `most_runs` runs the first ones, and "and 9
// more" for the partitions of the others.
inline std::string RunsText(absl::Span<const PartitionSpan> runs,
                            size_t most_runs) {
  std::string text;
  uint64_t more = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    const PartitionSpan& run = runs[i];
    if (i >= most_runs) {
      more += run.last - run.first + 1;
      continue;
    }
    absl::StrAppend(&text, i == 0 ? "" : ", ", run.first);
    if (run.last > run.first) absl::StrAppend(&text, "-", run.last);
  }
  if (more > 0) absl::StrAppend(&text, " and ", more, " more");
  return text;
}

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_STATUS_PARTITION_RUNS_H_
