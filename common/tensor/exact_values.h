// Converts numbers of users' arrays to other types where that loses nothing.
#ifndef TRIBUTARY_COMMON_TENSOR_EXACT_VALUES_H_
#define TRIBUTARY_COMMON_TENSOR_EXACT_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/tensor/dtype.h"
#include "common/tensor/npy.h"

namespace tributary {

// Converts `count` values; returns the index of the first that the other type
// cannot hold exactly.
using ExactConversion = std::optional<size_t> (*)(const uint8_t* from,
                                                  size_t count, uint8_t* to);

// Returns the conversion among whole numbers and bool, from datetime64 and
// timedelta64 to the int64 of their unit (NaT is none), and from float32 to
// float64; null for other types.
ExactConversion WholeConversion(NpyType from, DType to);

// Returns also those between whole and floating-point numbers: to int64 and
// bool of floats that are whole, and to float32 and float64 of all that these
// hold. Null for other types.
ExactConversion AnyExactConversion(NpyType from, DType to);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TENSOR_EXACT_VALUES_H_
