// Headers of .npy files (NumPy's NEP 1), little-endian and row-major only.
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

// An element type as .npy spells it: 'u' 4 is "<u4". Wider than DType, which
// has only what batches carry.
struct NpyType {
  char kind = 'f';   // 'u', 'i', 'f', 'b' (bool) or 'V' (raw bytes)
  uint8_t size = 4;  // bytes of an element

  // "<u4"; one-byte types have no byte order: "|u1".
  std::string descr() const;
  friend bool operator==(const NpyType&, const NpyType&) = default;
};

inline constexpr NpyType kNpyUint8{'u', 1};
inline constexpr NpyType kNpyUint16{'u', 2};
inline constexpr NpyType kNpyUint32{'u', 4};
inline constexpr NpyType kNpyUint64{'u', 8};
inline constexpr NpyType kNpyInt64{'i', 8};

// NumPy has no bfloat16: its two bytes are stored as "|V2".
NpyType NpyTypeOf(DType dtype);

struct NpyHeader {
  NpyType type;
  std::vector<int64_t> shape;
  size_t data_offset = 0;  // of the first element; a multiple of 64 in ours

  // Bytes of all elements. Requires that the header was parsed or made here,
  // which checks that the product fits.
  uint64_t data_bytes() const;
};

// Magic, version 1.0 and dictionary, padded so that the data that follow are
// 64-byte aligned.
std::string FormatNpyHeader(NpyType type, absl::Span<const int64_t> shape);

// Reads the header at the start of `bytes`, versions 1 to 3. DATA_LOSS, saying
// what is wrong, for anything that is no .npy header, big-endian, in Fortran
// order, or of a size beyond 2^63.
absl::StatusOr<NpyHeader> ParseNpyHeader(absl::Span<const uint8_t> bytes);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TENSOR_NPY_H_
