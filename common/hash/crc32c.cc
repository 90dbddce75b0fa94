#include "common/hash/crc32c.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <cstring>

namespace tributary {

uint32_t ExtendCrc32c(uint32_t crc, absl::Span<const uint8_t> bytes) {
  // ISA-L takes the length as an int, and a non-const buffer that it only
  // reads. Its register is the complement of the usual value.
  constexpr size_t kMost = size_t{1} << 30;
  crc = ~crc;
  while (!bytes.empty()) {
    const size_t n = std::min(bytes.size(), kMost);
    crc = crc32_iscsi(const_cast<uint8_t*>(bytes.data()), static_cast<int>(n),
                      crc);
    bytes.remove_prefix(n);
  }
  return ~crc;
}

uint32_t CopyWithCrc32c(uint32_t crc, absl::Span<const uint8_t> from,
                        uint8_t* to) {
  constexpr size_t kBlock = 16 << 10;  // half of a first-level cache
  while (!from.empty()) {
    const auto block = from.first(std::min(from.size(), kBlock));
    std::memcpy(to, block.data(), block.size());
    crc = ExtendCrc32c(crc, block);
    to += block.size();
    from.remove_prefix(block.size());
  }
  return crc;
}

}  // namespace tributary
