// SHA-256 (FIPS 180-4), computed by OpenSSL.
#ifndef TRIBUTARY_COMMON_HASH_SHA256_H_
#define TRIBUTARY_COMMON_HASH_SHA256_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/types/span.h"

namespace tributary {

using Sha256Digest = std::array<uint8_t, 32>;

// An incremental SHA-256. The digest depends on the bytes fed only, not on how
// they are divided into calls. Not thread-safe.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void Update(absl::Span<const uint8_t> bytes);
  void Update(std::string_view bytes);
  // Feed an integer as little-endian bytes.
  void UpdateU8(uint8_t value);
  void UpdateU32(uint32_t value);
  void UpdateU64(uint64_t value);
  // Returns the digest of all bytes fed and resets the object.
  Sha256Digest Finish();

 private:
  void* context_;  // EVP_MD_CTX
};

Sha256Digest Sha256Of(absl::Span<const uint8_t> bytes);
Sha256Digest Sha256Of(std::string_view bytes);

// Returns the digest as 64 lower-case hexadecimal digits.
std::string ToHex(const Sha256Digest& digest);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_HASH_SHA256_H_
