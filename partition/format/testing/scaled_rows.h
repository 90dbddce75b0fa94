// Rows of features as a scaled graph stores them.
#ifndef TRIBUTARY_PARTITION_FORMAT_TESTING_SCALED_ROWS_H_
#define TRIBUTARY_PARTITION_FORMAT_TESTING_SCALED_ROWS_H_

#include <cstdint>
#include <vector>

#include "common/tensor/convert_row.h"
#include "common/tensor/scaled_row.h"

namespace tributary {

// Returns the scaled rows of rows of `width` float32 values.
inline std::vector<uint8_t> ScaledRowsOf(const std::vector<float>& values,
                                         size_t width) {
  const ConvertRow convert = ConvertRowOf(DType::kFloat32, DType::kInt8);
  const size_t rows = values.size() / width;
  std::vector<uint8_t> made(rows * ScaledRowBytes(width));
  for (size_t row = 0; row < rows; ++row) {
    uint8_t* const to = made.data() + row * ScaledRowBytes(width);
    convert(reinterpret_cast<const uint8_t*>(&values[row * width]), width, to,
            to + width);
  }
  return made;
}

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_TESTING_SCALED_ROWS_H_
