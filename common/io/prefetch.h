// Prefetches memory that will be read.
#ifndef TRIBUTARY_COMMON_IO_PREFETCH_H_
#define TRIBUTARY_COMMON_IO_PREFETCH_H_

#include <cstddef>

namespace tributary {

// How long what is prefetched is of use, as __builtin_prefetch has it.
inline constexpr int kReadOnce = 0;
inline constexpr int kReadAgain = 3;

// Prefetches the cache line of `line`. The empty assembly counts as a side
// effect: GCC removes calls of functions that only prefetch. So nothing else
// calls __builtin_prefetch. Always inline: code that is compiled for several
// instruction sets calls it, too.
template <int kUse = kReadAgain>
[[gnu::always_inline]] inline void Prefetch(const void* line) {
  __builtin_prefetch(line, 0, kUse);
  __asm__ volatile("");
}

// The same for a line that will be written.
[[gnu::always_inline]] inline void PrefetchToWrite(const void* line) {
  __builtin_prefetch(line, 1, kReadAgain);
  __asm__ volatile("");
}

// Prefetches the lines of some bytes, at least one.
template <int kUse = kReadAgain>
[[gnu::always_inline]] inline void PrefetchBytes(const void* begin,
                                                 size_t bytes) {
  constexpr size_t kLine = 64;
  const char* at = static_cast<const char*>(begin);
  for (size_t i = 0; i < bytes; i += kLine) {
    __builtin_prefetch(at + i, 0, kUse);
  }
  __builtin_prefetch(at + bytes - 1, 0, kUse);
  __asm__ volatile("");
}

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IO_PREFETCH_H_
