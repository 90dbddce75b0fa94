// Features in a lower precision, as docs/sampling.md defines them: by looking
// for the nearest number that the format has.
#ifndef TRIBUTARY_COMMON_TENSOR_TESTING_DEFINED_FEATURES_H_
#define TRIBUTARY_COMMON_TENSOR_TESTING_DEFINED_FEATURES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/session/feature_dtype.h"

namespace tributary {

// The number of a 16-bit code whose sign is 0; with the code of infinity the
// power of two that would follow the largest number.
double DefinedNumber(int exponent_bits, uint16_t code);
// The code of the nearest.
uint16_t DefinedCode(int exponent_bits, double value);

struct DefinedFeatures {
  DType dtype;
  std::string bytes;
  std::vector<float> scales;  // of the rows of int8; else none
};

// Returns what rows of `width` float32 values become in a graph that stores
// them as int8 with a scale for each row: each int8 times its row's scale.
std::vector<float> DefineScaledNumbers(const std::vector<float>& values,
                                       size_t width);

// Converts rows of `width` float32 values.
DefinedFeatures DefineFeatures(const std::vector<float>& values, size_t width,
                               FeatureDType asked);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TENSOR_TESTING_DEFINED_FEATURES_H_
