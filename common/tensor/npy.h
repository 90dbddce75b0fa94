// Reads and writes headers of .npy files (NumPy's NEP 1), little-endian and
// row-major only.
#ifndef TRIBUTARY_COMMON_TENSOR_NPY_H_
#define TRIBUTARY_COMMON_TENSOR_NPY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/tensor/dtype.h"

namespace tributary {

// An element type of a .npy file: kind 'u' and size 4 is "<u4". Covers more
// types than DType, which has only those of batches.
struct NpyType {
  // 'u', 'i', 'f', 'b' (bool), 'V' (raw bytes) or 's': a scaled row
  // (scaled_row.h), a record of the fields value (int8) and scale (float32).
  char kind = 'f';
  uint32_t size = 4;  // bytes of an element
  // The length of `value` of a scaled row: 0 if it is a number by itself.
  uint32_t dim = 0;

  // Returns the type as NumPy writes it: "<u4"; "|u1" for a type of one byte,
  // which has no byte order; a list of fields for a record.
  std::string descr() const;
  friend bool operator==(const NpyType&, const NpyType&) = default;
};

inline constexpr NpyType kNpyUint8{'u', 1};
inline constexpr NpyType kNpyUint16{'u', 2};
inline constexpr NpyType kNpyUint32{'u', 4};
inline constexpr NpyType kNpyUint64{'u', 8};
inline constexpr NpyType kNpyInt64{'i', 8};

// Returns the type that stores `dtype`. NumPy has no bfloat16: it is stored as
// two raw bytes, "|V2".
NpyType NpyTypeOf(DType dtype);
// Returns the type of scaled rows of `dim` values; 0: of one value that is no
// array. Requires 0 <= dim < 2^31.
NpyType NpyTypeOfScaledRows(int64_t dim);

// The contents of a .npy header.
struct NpyHeader {
  NpyType type;
  std::vector<int64_t> shape;
  size_t data_offset =
      0;  // of the first element; a multiple of 64 in files written here

  // Returns the bytes of all elements. Requires a header made by
  // ParseNpyHeader, which checks that the product fits.
  uint64_t data_bytes() const;
};

// Returns a header of version 1.0, padded so that the data that follow are
// 64-byte aligned.
std::string FormatNpyHeader(NpyType type, absl::Span<const int64_t> shape);

// Parses the header at the start of `bytes`, in versions 1 to 3. DATA_LOSS,
// saying what is wrong, if it is no .npy header, big-endian, in Fortran order,
// or describes data of more than 2^63 bytes.
absl::StatusOr<NpyHeader> ParseNpyHeader(absl::Span<const uint8_t> bytes);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TENSOR_NPY_H_
