// A slice of rows that costs nothing where it is all of them.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_FIRST_ROWS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_FIRST_ROWS_H_

#include <ATen/core/Tensor.h>

namespace tributary {

// Returns the first n rows of x. The gradient of a slice is a tensor as large
// as x, so none is taken where x has n rows.
inline at::Tensor FirstRows(const at::Tensor& x, int64_t n) {
  TORCH_CHECK(n <= x.size(0), n, " rows of ", x.size(0));
  return n == x.size(0) ? x : x.slice(0, 0, n);
}

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_FIRST_ROWS_H_
