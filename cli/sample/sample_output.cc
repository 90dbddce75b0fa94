#include "cli/sample/sample_output.h"

#include "absl/strings/str_cat.h"
#include "common/batch/batch_counts.h"

namespace tributary {

std::string SampleLine(const BatchView& batch) {
  const BatchCounts counts = CountBatch(batch);
  return absl::StrCat(batch.key().epoch, " ", batch.key().index, " ",
                      ToHex(batch.Digest()), " ", counts.inputs, " ",
                      counts.nodes, " ", counts.edges, " ", counts.bytes);
}

}  // namespace tributary
