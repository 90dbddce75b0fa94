// CRC32C (Castagnoli, RFC 3720), by ISA-L.
#ifndef TRIBUTARY_COMMON_HASH_CRC32C_H_
#define TRIBUTARY_COMMON_HASH_CRC32C_H_

#include <cstdint>

#include "absl/types/span.h"

namespace tributary {

// The CRC of bytes that follow those whose CRC is `crc` (0 for none).
uint32_t ExtendCrc32c(uint32_t crc, absl::Span<const uint8_t> bytes);

inline uint32_t Crc32c(absl::Span<const uint8_t> bytes) {
  return ExtendCrc32c(0, bytes);
}

// Copies `from` to `to` (as long) and extends `crc` over it, block by block, so
// that each byte is read from memory once.
uint32_t CopyWithCrc32c(uint32_t crc, absl::Span<const uint8_t> from,
                        uint8_t* to);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_HASH_CRC32C_H_
