#include "common/io/buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <utility>

namespace tributary {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

size_t AlignmentFor(size_t size) {
  return size >= 2 * kHugePage ? kHugePage : kCacheLine;
}

}  // namespace

AlignedBuffer::AlignedBuffer(size_t size) : size_(size) {
  if (size == 0) return;
  const size_t alignment = AlignmentFor(size);
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, size) != 0) throw std::bad_alloc();
  data_ = static_cast<uint8_t*>(memory);
  if (alignment == kHugePage) AdviseHugePages(data_, size);
}

AlignedBuffer::~AlignedBuffer() { std::free(data_); }

AlignedBuffer::AlignedBuffer(AlignedBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

AlignedBuffer& AlignedBuffer::operator=(AlignedBuffer&& other) noexcept {
  if (this == &other) return *this;
  std::free(data_);
  data_ = std::exchange(other.data_, nullptr);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

size_t PhysicalMemoryBytes() {
  return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

void AdviseHugePages(void* data, size_t size) {
  // Only pages wholly inside the range: one that ends beyond it would hold up
  // to 2 MiB that no budget counts. Errors are ignored: the kernel then has no
  // huge pages, and small pages serve as well.
  const auto begin = AlignUp(reinterpret_cast<uintptr_t>(data), kHugePage);
  const auto end =
      (reinterpret_cast<uintptr_t>(data) + size) & ~uintptr_t{kHugePage - 1};
  if (begin >= end) return;
  (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace tributary
