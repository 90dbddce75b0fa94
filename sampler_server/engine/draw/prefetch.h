// Asking the memory for a line that will be read.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_PREFETCH_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_PREFETCH_H_

namespace tributary {

// The empty statement counts as an effect: GCC leaves out calls of functions
// that do nothing but prefetch.
inline void Prefetch(const void* line) {
  __builtin_prefetch(line, 0, 3);
  __asm__ volatile("");
}

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_PREFETCH_H_
