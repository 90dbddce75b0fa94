#include "sampler_server/tensors/memory/zeroed_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/io/buffer.h"

namespace tributary {

size_t ZeroedMemory::BytesOf(size_t bytes) {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

absl::StatusOr<ZeroedMemory> ZeroedMemory::Map(size_t bytes) {
  ZeroedMemory memory;
  if (bytes == 0) return memory;
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the system maps no ", bytes,
                     " bytes for a tensor: ", std::strerror(errno)));
  }
  memory.data_ = static_cast<uint8_t*>(data);
  memory.size_ = bytes;
  AdviseHugePages(data, bytes);
  return memory;
}

ZeroedMemory::~ZeroedMemory() {
  if (data_ != nullptr) munmap(data_, size_);
}

ZeroedMemory::ZeroedMemory(ZeroedMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

ZeroedMemory& ZeroedMemory::operator=(ZeroedMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void ZeroedMemory::Clear() {
  if (data_ != nullptr) madvise(data_, size_, MADV_DONTNEED);
}

}  // namespace tributary
