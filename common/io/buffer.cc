#include "common/io/buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <utility>

#include "absl/base/config.h"
#include "common/io/idle_blocks.h"
#include "common/io/map_aligned.h"
#include "common/runtime/clock.h"

namespace tributary {
namespace {

// A sanitizer sees what lies beyond a buffer only if malloc gave it out.
#ifdef ABSL_HAVE_ADDRESS_SANITIZER
constexpr bool kKeepsBlocks = false;
#else
constexpr bool kKeepsBlocks = true;
#endif

bool IsBlock(size_t size) {
  return kKeepsBlocks && size >= IdleBlocks::kSmallest;
}

}  // namespace

AlignedBuffer::AlignedBuffer(size_t size) : size_(size) {
  if (size == 0) return;
  if (IsBlock(size)) {
    data_ = IdleBlocks::OfProcess().Take(size, SteadyClock().Now());
    if (data_ == nullptr) throw std::bad_alloc();
    return;
  }
  void* memory = nullptr;
  const size_t alignment = size >= kHugePage ? kHugePage : kCacheLine;
  if (posix_memalign(&memory, alignment, size) != 0) throw std::bad_alloc();
  data_ = static_cast<uint8_t*>(memory);
}

AlignedBuffer::~AlignedBuffer() { Free(); }

void AlignedBuffer::Free() {
  if (data_ != nullptr && IsBlock(size_)) {
    IdleBlocks::OfProcess().Give(data_, size_, SteadyClock().Now());
  } else {
    std::free(data_);
  }
}

AlignedBuffer::AlignedBuffer(AlignedBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

AlignedBuffer& AlignedBuffer::operator=(AlignedBuffer&& other) noexcept {
  if (this == &other) return *this;
  Free();
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
