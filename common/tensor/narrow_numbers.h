// Arrays of 8-byte numbers that travel in 4 bytes each where all are small.
#ifndef TRIBUTARY_COMMON_TENSOR_NARROW_NUMBERS_H_
#define TRIBUTARY_COMMON_TENSOR_NARROW_NUMBERS_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace tributary {

// Returns whether all numbers are below 2^32; so negative int64 are not.
bool FitNarrow(absl::Span<const uint64_t> numbers);

// Writes the low half of each number, little-endian, to `to`, which need not be
// aligned. Returns the end.
uint8_t* WriteNarrow(absl::Span<const uint64_t> numbers, uint8_t* to);

// Reads as many numbers as `numbers` has from `from`, which WriteNarrow wrote.
// Returns the end.
const uint8_t* ReadNarrow(const uint8_t* from, absl::Span<uint64_t> numbers);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TENSOR_NARROW_NUMBERS_H_
