// A view of a tensor: name, element type, shape and bytes that someone else
// owns.
#ifndef TRIBUTARY_COMMON_TENSOR_TENSOR_VIEW_H_
#define TRIBUTARY_COMMON_TENSOR_TENSOR_VIEW_H_

#include <cstdint>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "common/tensor/dtype.h"

namespace tributary {

// The sizes of a tensor's dimensions.
using Shape = absl::InlinedVector<int64_t, 2>;

// Returns the product of the dimensions; 1 for a scalar.
inline int64_t NumElements(const Shape& shape) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}

// A row-major, little-endian tensor in memory that must outlive the view.
// `data` has NumElements(shape) * DTypeSize(dtype) bytes.
struct TensorView {
  std::string name;
  DType dtype;
  Shape shape;
  absl::Span<const uint8_t> data;

  // Returns the elements as T. Requires sizeof(T) == DTypeSize(dtype) and data
  // aligned for T (batches align every tensor to 64 bytes).
  //
  //   absl::Span<const int64_t> n_id = batch.Find("n_id")->As<int64_t>();
  template <typename T>
  absl::Span<const T> As() const {
    return absl::MakeConstSpan(reinterpret_cast<const T*>(data.data()),
                               data.size() / sizeof(T));
  }
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TENSOR_TENSOR_VIEW_H_
