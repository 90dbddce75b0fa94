// A named, typed, shaped window on bytes that someone else owns.
#ifndef TRIBUTARY_COMMON_TENSOR_TENSOR_VIEW_H_
#define TRIBUTARY_COMMON_TENSOR_TENSOR_VIEW_H_

#include <cstdint>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "common/tensor/dtype.h"

namespace tributary {

using Shape = absl::InlinedVector<int64_t, 2>;

inline int64_t NumElements(const Shape& shape) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}

// Row-major, little-endian. `data` holds NumElements(shape) * DTypeSize(dtype)
// bytes and outlives the view.
struct TensorView {
  std::string name;
  DType dtype;
  Shape shape;
  absl::Span<const uint8_t> data;

  // The elements as T. Requires sizeof(T) == DTypeSize(dtype) and data aligned
  // for T (batches align every tensor to 64 bytes).
  template <typename T>
  absl::Span<const T> As() const {
    return absl::MakeConstSpan(reinterpret_cast<const T*>(data.data()),
                               data.size() / sizeof(T));
  }
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TENSOR_TENSOR_VIEW_H_
