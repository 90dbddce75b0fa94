// Memory of arrays, as working memory counts and frees it.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_HELD_MEMORY_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_HELD_MEMORY_H_

#include <cstdint>
#include <vector>

namespace tributary {

template <typename T>
uint64_t HeldBytes(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

// clear() would keep it.
template <typename T>
void LetGo(std::vector<T>& values) {
  std::vector<T>().swap(values);
}

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_HELD_MEMORY_H_
