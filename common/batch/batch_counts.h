// Counts what is in batches.
#ifndef TRIBUTARY_COMMON_BATCH_BATCH_COUNTS_H_
#define TRIBUTARY_COMMON_BATCH_BATCH_COUNTS_H_

#include <cstdint>

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

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_BATCH_BATCH_COUNTS_H_
