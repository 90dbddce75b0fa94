// The line that `tributary sample` prints for a batch.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_OUTPUT_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_OUTPUT_H_

#include <string>

#include "common/batch/batch_view.h"

namespace tributary {

// Counts of one batch or several, summed over types. Inputs count with their
// duplicates; bytes are those of tensors alone.
struct BatchCounts {
  uint64_t inputs = 0;
  uint64_t nodes = 0;
  uint64_t edges = 0;
  uint64_t bytes = 0;

  BatchCounts& operator+=(const BatchCounts& other);
};
BatchCounts CountBatch(const BatchView& batch);

// Returns "epoch index sha256 inputs nodes edges bytes".
std::string SampleLine(const BatchView& batch);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_OUTPUT_H_
