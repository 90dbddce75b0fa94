// Aligned memory with huge-page advice, the storage of slots and rooms.
#ifndef TRIBUTARY_COMMON_IO_BUFFER_H_
#define TRIBUTARY_COMMON_IO_BUFFER_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace tributary {

inline constexpr size_t kCacheLine = 64;

// `n` rounded up to a multiple of `alignment` (a power of two).
constexpr size_t AlignUp(size_t n, size_t alignment) {
  return (n + alignment - 1) & ~(alignment - 1);
}

// Owns uninitialised bytes aligned to 64 (to 2 MiB, with MADV_HUGEPAGE for its
// whole huge pages, from 4 MiB on). Move-only. Without memory it throws
// std::bad_alloc, as operator new does: sizes from outside are checked before.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(size_t size);
  ~AlignedBuffer();
  AlignedBuffer(AlignedBuffer&& other) noexcept;
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept;

  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  absl::Span<uint8_t> span() { return absl::MakeSpan(data_, size_); }
  absl::Span<const uint8_t> span() const {
    return absl::MakeConstSpan(data_, size_);
  }

 private:
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

// Of the machine; what a buffer can never exceed.
size_t PhysicalMemoryBytes();

// Advises the kernel to back what is whole huge pages of [data, data + size)
// with such; no effect where it cannot.
void AdviseHugePages(void* data, size_t size);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IO_BUFFER_H_
