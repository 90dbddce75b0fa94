// CRC32C (Castagnoli, RFC 3720), computed by ISA-L.
#ifndef TRIBUTARY_COMMON_HASH_CRC32C_H_
#define TRIBUTARY_COMMON_HASH_CRC32C_H_

#include <cstdint>

#include "absl/types/span.h"

namespace tributary {

// Returns the CRC of a byte string followed by `bytes`, given the string's CRC
// (0 for an empty string).
uint32_t ExtendCrc32c(uint32_t crc, absl::Span<const uint8_t> bytes);

// Returns the CRC of `bytes`.
inline uint32_t Crc32c(absl::Span<const uint8_t> bytes) {
  return ExtendCrc32c(0, bytes);
}

// Copies `from` to `to`, which has room for it, and returns `crc` extended over
// the bytes. Works block by block, so that each byte is read from memory once.
uint32_t CopyWithCrc32c(uint32_t crc, absl::Span<const uint8_t> from,
                        uint8_t* to);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_HASH_CRC32C_H_
