// A loop on all cores, for work on whole graphs.
#ifndef TRIBUTARY_COMMON_RUNTIME_PARALLEL_FOR_H_
#define TRIBUTARY_COMMON_RUNTIME_PARALLEL_FOR_H_

#include <cstddef>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace tributary {

// Calls body(begin, end) for pieces of at most `grain` (> 0) indices that cover
// [0, n), from several threads, which it joins. Starts no new piece after a
// failure. Returns the error of the failed piece with the lowest begin. Results
// must not depend on which thread runs a piece. Pieces are begun in ascending
// order. Uses `threads` threads, or as many as there are usable cores.
absl::Status ParallelFor(
    size_t n, size_t grain,
    absl::FunctionRef<absl::Status(size_t begin, size_t end)> body);
absl::Status ParallelFor(
    size_t n, size_t grain, int threads,
    absl::FunctionRef<absl::Status(size_t begin, size_t end)> body);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RUNTIME_PARALLEL_FOR_H_
