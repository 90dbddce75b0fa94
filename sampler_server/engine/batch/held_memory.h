// The memory of arrays that count as a task's working memory.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_HELD_MEMORY_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_HELD_MEMORY_H_

#include <cstdint>
#include <vector>

namespace tributary {

// Returns the bytes that `values` has allocated, used or not.
template <typename T>
uint64_t HeldBytes(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

// Empties `values` and frees its memory, which clear() would keep.
template <typename T>
void FreeMemory(std::vector<T>& values) {
  std::vector<T>().swap(values);
}

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_HELD_MEMORY_H_
