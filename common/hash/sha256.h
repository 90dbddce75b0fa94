// SHA-256 (FIPS 180-4), by OpenSSL.
#ifndef TRIBUTARY_COMMON_HASH_SHA256_H_
#define TRIBUTARY_COMMON_HASH_SHA256_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/types/span.h"

namespace tributary {

using Sha256Digest = std::array<uint8_t, 32>;

// Feeds bytes in any cuts. Not thread-safe.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void Update(absl::Span<const uint8_t> bytes);
  void Update(std::string_view bytes);
  // Little-endian integers.
  void UpdateU8(uint8_t value);
  void UpdateU32(uint32_t value);
  void UpdateU64(uint64_t value);
  // The digest of all fed; afterwards the object is as new.
  Sha256Digest Finish();

 private:
  void* context_;  // EVP_MD_CTX
};

Sha256Digest Sha256Of(absl::Span<const uint8_t> bytes);
Sha256Digest Sha256Of(std::string_view bytes);

// 64 lower-case hexadecimal digits.
std::string ToHex(const Sha256Digest& digest);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_HASH_SHA256_H_
