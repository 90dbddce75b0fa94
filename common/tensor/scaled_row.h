// The bytes of a scaled row: features that a graph stores as int8 values and
// one float32 scale for each row.
#ifndef TRIBUTARY_COMMON_TENSOR_SCALED_ROW_H_
#define TRIBUTARY_COMMON_TENSOR_SCALED_ROW_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tributary {

// Returns the bytes of a scaled row of `width` values: int8 value[width], then
// float32 scale, not aligned.
inline constexpr size_t ScaledRowBytes(size_t width) {
  return width + sizeof(float);
}

// The parts of a scaled row. A number of the row is its value times the scale.
struct ScaledRow {
  const uint8_t* values;  // int8 [width]
  const uint8_t* scale;   // the bytes of a float32

  float unit() const {
    float unit;
    std::memcpy(&unit, scale, sizeof(unit));
    return unit;
  }
};

// Returns the parts of a row of ScaledRowBytes(width) bytes.
inline ScaledRow SplitScaledRow(const uint8_t* row, size_t width) {
  return {row, row + width};
}

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TENSOR_SCALED_ROW_H_
