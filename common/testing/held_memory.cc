#include "common/testing/held_memory.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int64_t> g_held{0};

// A chunk's size as glibc has it: what may be used, and the word before it.
int64_t SizeOf(void* memory) {
  return static_cast<int64_t>(malloc_usable_size(memory) + sizeof(size_t));
}

void* Take(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  g_held += SizeOf(memory);
  return memory;
}

void Return(void* memory) {
  if (memory == nullptr) return;
  g_held -= SizeOf(memory);
  std::free(memory);
}

}  // namespace

// The forms for arrays and those that do not throw go through these.
void* operator new(size_t size) { return Take(std::malloc(size)); }
void operator delete(void* memory) noexcept { Return(memory); }
void operator delete(void* memory, size_t) noexcept { Return(memory); }
void* operator new(size_t size, std::align_val_t alignment) {
  const auto to = static_cast<size_t>(alignment);
  return Take(std::aligned_alloc(to, (size + to - 1) / to * to));
}
void operator delete(void* memory, std::align_val_t) noexcept {
  Return(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  Return(memory);
}

namespace tributary {

int64_t HeldBytes() { return g_held; }

}  // namespace tributary
