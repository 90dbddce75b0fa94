#include "common/hash/sha256.h"

#include <openssl/evp.h>

#include "absl/strings/escaping.h"

namespace tributary {
namespace {

EVP_MD_CTX* Context(void* context) { return static_cast<EVP_MD_CTX*>(context); }

absl::Span<const uint8_t> AsBytes(std::string_view text) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()),
                             text.size());
}

template <size_t kBytes>
std::array<uint8_t, kBytes> LittleEndian(uint64_t value) {
  std::array<uint8_t, kBytes> bytes;
  for (size_t i = 0; i < kBytes; ++i) {
    bytes[i] = static_cast<uint8_t>(value >> (8 * i));
  }
  return bytes;
}

}  // namespace

// OpenSSL's calls on a live SHA-256 context fail only without memory.
Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  EVP_DigestInit_ex(Context(context_), EVP_sha256(), nullptr);
}

Sha256::~Sha256() { EVP_MD_CTX_free(Context(context_)); }

void Sha256::Update(absl::Span<const uint8_t> bytes) {
  EVP_DigestUpdate(Context(context_), bytes.data(), bytes.size());
}

void Sha256::Update(std::string_view bytes) { Update(AsBytes(bytes)); }

void Sha256::UpdateU8(uint8_t value) { Update(absl::MakeConstSpan(&value, 1)); }

void Sha256::UpdateU32(uint32_t value) { Update(LittleEndian<4>(value)); }

void Sha256::UpdateU64(uint64_t value) { Update(LittleEndian<8>(value)); }

Sha256Digest Sha256::Finish() {
  Sha256Digest digest;
  EVP_DigestFinal_ex(Context(context_), digest.data(), nullptr);
  EVP_DigestInit_ex(Context(context_), EVP_sha256(), nullptr);
  return digest;
}

Sha256Digest Sha256Of(absl::Span<const uint8_t> bytes) {
  Sha256 sha;
  sha.Update(bytes);
  return sha.Finish();
}

Sha256Digest Sha256Of(std::string_view bytes) {
  return Sha256Of(AsBytes(bytes));
}

std::string ToHex(const Sha256Digest& digest) {
  return absl::BytesToHexString(
      {reinterpret_cast<const char*>(digest.data()), digest.size()});
}

}  // namespace tributary
