// Prefetches a cache line that will be read.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_PREFETCH_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_PREFETCH_H_

namespace tributary {

// Prefetches the line of `line` into all cache levels. The empty assembly
// counts as a side effect: GCC removes calls of functions that only prefetch.
inline void Prefetch(const void* line) {
  __builtin_prefetch(line, 0, 3);
  __asm__ volatile("");
}

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_PREFETCH_H_
