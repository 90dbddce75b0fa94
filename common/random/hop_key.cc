#include "common/random/hop_key.h"

#include "common/hash/sha256.h"

namespace tributary {
namespace {

uint32_t ReadU32(const uint8_t* bytes) {
  return uint32_t{bytes[0]} | uint32_t{bytes[1]} << 8 |
         uint32_t{bytes[2]} << 16 | uint32_t{bytes[3]} << 24;
}

}  // namespace

PhiloxKey MakeHopKey(const HopKeyParts& parts) {
  Sha256 sha;
  sha.Update("tributary");
  sha.UpdateU32(kSemanticsVersion);
  sha.UpdateU64(parts.random_seed);
  sha.UpdateU64(parts.epoch);
  sha.UpdateU64(parts.batch);
  sha.UpdateU32(static_cast<uint32_t>(parts.purpose));
  sha.UpdateU32(parts.hop);
  sha.UpdateU32(static_cast<uint32_t>(parts.type_name.size()));
  sha.Update(parts.type_name);
  const Sha256Digest digest = sha.Finish();
  return {ReadU32(digest.data()), ReadU32(digest.data() + 4)};
}

PhiloxKey MakeOrderKey(uint64_t random_seed, uint64_t epoch) {
  return MakeHopKey(
      {.random_seed = random_seed, .epoch = epoch, .purpose = Purpose::kOrder});
}

}  // namespace tributary
