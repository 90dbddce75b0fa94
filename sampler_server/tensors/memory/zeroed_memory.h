// Large memory that begins as zeros and takes pages when they are written.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_MEMORY_ZEROED_MEMORY_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_MEMORY_ZEROED_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"

namespace tributary {

// Owns an anonymous mapping with advice to use huge pages. Move-only.
class ZeroedMemory {
 public:
  // Returns the memory that `bytes` bytes take once they are written: whole
  // pages.
  static size_t BytesOf(size_t bytes);

  ZeroedMemory() = default;
  // Returns `bytes` zero bytes, aligned to a page; 0 bytes need no mapping.
  // RESOURCE_EXHAUSTED if the system has no address space for them.
  static absl::StatusOr<ZeroedMemory> Map(size_t bytes);
  ~ZeroedMemory();
  ZeroedMemory(ZeroedMemory&& other) noexcept;
  ZeroedMemory& operator=(ZeroedMemory&& other) noexcept;

  // Makes all bytes 0 and returns their pages to the system.
  void Clear();

  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  template <typename T>
  T* As() const {
    return reinterpret_cast<T*>(data_);
  }

 private:
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_MEMORY_ZEROED_MEMORY_H_
