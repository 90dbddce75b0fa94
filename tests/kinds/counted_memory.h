// Counts the bytes that a test's process allocates. Not thread-safe; the test
// must be linked with -Wl,--wrap=posix_memalign -Wl,--wrap=free.
#ifndef TRIBUTARY_TESTS_KINDS_COUNTED_MEMORY_H_
#define TRIBUTARY_TESTS_KINDS_COUNTED_MEMORY_H_

#include <cstdint>

namespace tributary {

// Returns the bytes allocated now, and restarts the peak from there.
int64_t StartPeak();
// Returns the largest number of bytes allocated at once since StartPeak().
int64_t PeakBytes();

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_KINDS_COUNTED_MEMORY_H_
