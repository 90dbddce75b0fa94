// Reads lists of numbers in .npy files that users' programs have written.
#ifndef TRIBUTARY_COMMON_TENSOR_NPY_VECTOR_H_
#define TRIBUTARY_COMMON_TENSOR_NPY_VECTOR_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/tensor/npy.h"

namespace tributary {

// The elements of a .npy file of the shape [n] or [n, 1]. Views the file's
// bytes.
struct NpyVector {
  NpyType type;
  const uint8_t* data = nullptr;
  size_t size = 0;
};

// Finds the elements in the bytes of a whole file. INVALID_ARGUMENT for another
// shape; DATA_LOSS if it is no .npy file or is truncated.
absl::StatusOr<NpyVector> FindNpyVector(absl::Span<const uint8_t> file);

// Return the values. INVALID_ARGUMENT, with the element, for a type or a value
// that is none of `allowed`, which messages say.
//
// IdsOf takes whole numbers of any type, TimesOf also floats that are whole and
// datetime64 (as counts of their unit), WeightsOf all numbers that are exact in
// float64.
absl::StatusOr<std::vector<int64_t>> IdsOf(const NpyVector& vector);
absl::StatusOr<std::vector<int64_t>> TimesOf(const NpyVector& vector);
absl::StatusOr<std::vector<double>> WeightsOf(const NpyVector& vector);

// Returns whether whole numbers that might be ids are a mask: 0 and 1 alone,
// and so many of them that ids would repeat.
bool AreMask(absl::Span<const int64_t> numbers);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TENSOR_NPY_VECTOR_H_
