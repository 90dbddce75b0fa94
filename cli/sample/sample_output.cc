#include "cli/sample/sample_output.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/batch/batch_counts.h"

namespace tributary {

std::string SampleLine(const BatchView& batch) {
  const BatchCounts counts = CountBatch(batch);
  return absl::StrCat(batch.key().epoch, " ", batch.key().index, " ",
                      ToHex(batch.Digest()), " ", counts.inputs, " ",
                      counts.nodes, " ", counts.edges, " ", counts.bytes);
}

std::string SummaryLine(const LoaderStats& stats) {
  const auto percent = [&stats](uint64_t bytes) {
    return 100 * static_cast<double>(bytes) /
           static_cast<double>(std::max<uint64_t>(1, stats.bytes));
  };
  return absl::StrFormat(
      "%d batches of %d bytes: %d sent, %.0f of a batch; not sent %.1f %% by "
      "held rows, %.1f %% by compact edges",
      stats.batches, stats.bytes, stats.wire_bytes(),
      static_cast<double>(stats.wire_bytes()) /
          static_cast<double>(std::max<uint64_t>(1, stats.batches)),
      percent(stats.left_out), percent(stats.compact));
}

}  // namespace tributary
