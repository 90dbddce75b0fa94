#include "tests/kinds/counted_memory.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace {

int64_t g_held = 0;  // by the one thread that there is
int64_t g_peak = 0;

// Large aligned allocations are counted without the alignment, which takes
// address space but no memory.
struct Aligned {
  void* memory = nullptr;
  size_t size = 0;
};
Aligned g_aligned[64];
constexpr size_t kLarge = 64 << 10;

void Hold(size_t bytes) {
  g_held += static_cast<int64_t>(bytes);
  g_peak = std::max(g_peak, g_held);
}

Aligned& FindAligned(void* memory) {
  for (Aligned& aligned : g_aligned) {
    if (aligned.memory == memory) return aligned;
  }
  std::abort();  // more of them than a task has
}

}  // namespace

// By --wrap, the allocations of AlignedBuffer go through these two functions.
extern "C" {
int __real_posix_memalign(void** memory, size_t alignment, size_t size);
int __wrap_posix_memalign(void** memory, size_t alignment, size_t size) {
  const int error = __real_posix_memalign(memory, alignment, size);
  if (error != 0) return error;
  if (size > kLarge) {
    FindAligned(nullptr) = {*memory, size};
    Hold(size);
  } else {
    Hold(malloc_usable_size(*memory));
  }
  return 0;
}
void __real_free(void* memory);
void __wrap_free(void* memory) {
  if (memory == nullptr) return;
  size_t size = malloc_usable_size(memory);
  for (Aligned& aligned : g_aligned) {
    if (aligned.memory == memory) size = std::exchange(aligned, {}).size;
  }
  g_held -= static_cast<int64_t>(size);
  __real_free(memory);
}
}

// All allocations by operator new go through these.
void* operator new(size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  Hold(malloc_usable_size(memory));
  return memory;
}
void operator delete(void* memory) noexcept { __wrap_free(memory); }
void operator delete(void* memory, size_t) noexcept { __wrap_free(memory); }

namespace tributary {

int64_t StartPeak() { return g_peak = g_held; }
int64_t PeakBytes() { return g_peak; }

}  // namespace tributary
