#include "common/random/purpose_key.h"

#include "common/hash/sha256.h"

namespace tributary {
namespace {

uint32_t ReadU32(const uint8_t* bytes) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

}  // namespace

PhiloxKey MakePurposeKey(absl::string_view purpose, uint64_t random_seed) {
  Sha256 sha;
  sha.Update("tributary.");
  sha.Update(std::string_view(purpose.data(), purpose.size()));
  sha.UpdateU64(random_seed);
  const Sha256Digest digest = sha.Finish();
  return {ReadU32(digest.data()), ReadU32(digest.data() + 4)};
}

}  // namespace tributary
