// Unsigned integers of 32 or 64 bits.
#ifndef TRIBUTARY_PARTITION_FORMAT_ID_ARRAY_H_
#define TRIBUTARY_PARTITION_FORMAT_ID_ARRAY_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace tributary {

// A view of unsigned integers stored in 32 bits if all fit, otherwise in 64.
class IdArray {
 public:
  IdArray() = default;
  explicit IdArray(absl::Span<const uint32_t> ids)
      : data_(ids.data()), size_(ids.size()), wide_(false) {}
  explicit IdArray(absl::Span<const uint64_t> ids)
      : data_(ids.data()), size_(ids.size()), wide_(true) {}

  size_t size() const { return size_; }
  bool wide() const { return wide_; }
  uint64_t operator[](size_t i) const {
    return wide_ ? static_cast<const uint64_t*>(data_)[i]
                 : static_cast<const uint32_t*>(data_)[i];
  }
  // Typed views, for loops without a branch. narrow_span requires !wide(),
  // wide_span requires wide().
  absl::Span<const uint32_t> narrow_span() const {
    return {static_cast<const uint32_t*>(data_), size_};
  }
  absl::Span<const uint64_t> wide_span() const {
    return {static_cast<const uint64_t*>(data_), size_};
  }

 private:
  const void* data_ = nullptr;
  size_t size_ = 0;
  bool wide_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_ID_ARRAY_H_
