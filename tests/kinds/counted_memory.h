// Every allocation of a test's process, counted: for one thread, in a test that
// is linked with -Wl,--wrap=posix_memalign -Wl,--wrap=free.
#ifndef TRIBUTARY_TESTS_KINDS_COUNTED_MEMORY_H_
#define TRIBUTARY_TESTS_KINDS_COUNTED_MEMORY_H_

#include <cstdint>

namespace tributary {

// What is held now; the peak is counted from here on.
int64_t StartPeak();
// The most that was held since.
int64_t PeakBytes();

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_KINDS_COUNTED_MEMORY_H_
