#include "common/io/map_aligned.h"

#include <sys/mman.h>

#include "common/io/buffer.h"

namespace tributary {

uint8_t* MapAligned(size_t bytes, size_t alignment) {
  const size_t all = bytes + alignment;
  void* const mapped = mmap(nullptr, all, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<uint8_t*>(mapped);
  auto* const block = reinterpret_cast<uint8_t*>(
      AlignUp(reinterpret_cast<uintptr_t>(begin), alignment));
  const auto before = static_cast<size_t>(block - begin);
  if (before > 0) munmap(begin, before);
  if (all - before > bytes) munmap(block + bytes, all - before - bytes);
  return block;
}

}  // namespace tributary
