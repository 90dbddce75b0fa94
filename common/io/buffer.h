// Aligned memory with huge-page advice: the storage of trainers' slots and
// servers' batches.
#ifndef TRIBUTARY_COMMON_IO_BUFFER_H_
#define TRIBUTARY_COMMON_IO_BUFFER_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace tributary {

inline constexpr size_t kCacheLine = 64;

// Returns `n` rounded up to a multiple of `alignment` (a power of two).
constexpr size_t AlignUp(size_t n, size_t alignment) {
  return (n + alignment - 1) & ~(alignment - 1);
}

// Owns uninitialised bytes aligned to 64; from 2 MiB on aligned to 2 MiB, with
// MADV_HUGEPAGE for the whole huge pages in it. From 1 MiB on they come from
// IdleBlocks (idle_blocks.h) and go back there. Move-only. Throws
// std::bad_alloc if there is no memory, like operator new: check sizes that
// come from outside first.
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
  void Free();

  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

// Returns the machine's physical memory: an upper bound for any buffer.
size_t PhysicalMemoryBytes();

// Advises the kernel to use huge pages for those that lie wholly in [data, data
// + size). No effect where the kernel cannot.
void AdviseHugePages(void* data, size_t size);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IO_BUFFER_H_
