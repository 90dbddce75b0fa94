// What a test's process holds, counted at operator new.
#ifndef TRIBUTARY_COMMON_TESTING_HELD_MEMORY_H_
#define TRIBUTARY_COMMON_TESTING_HELD_MEMORY_H_

#include <cstdint>

namespace tributary {

// Returns the bytes that operator new has given out and that were not deleted,
// with those that the allocator adds to each: a witness of what budgets count
// that knows nothing of them. Memory that does not come from operator new
// (mappings, AlignedBuffer) is not in it. Thread-safe. A program that links
// this library has its operators new and delete.
int64_t HeldBytes();

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TESTING_HELD_MEMORY_H_
