// A loop over all cores, for work on whole graphs.
#ifndef TRIBUTARY_PARTITION_WRITER_PARALLEL_FOR_H_
#define TRIBUTARY_PARTITION_WRITER_PARALLEL_FOR_H_

#include <cstddef>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace tributary {

// Calls body(begin, end) for pieces of at most `grain` (> 0) that make up
// [0, n), from several threads, which are joined before it returns. The error
// of the piece with the lowest begin among those that ran is returned; once one
// has failed no new piece is started. Results must not depend on who ran what.
absl::Status ParallelFor(
    size_t n, size_t grain,
    absl::FunctionRef<absl::Status(size_t begin, size_t end)> body);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_PARALLEL_FOR_H_
