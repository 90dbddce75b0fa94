#include "common/random/hop_key.h"

namespace tributary {

PhiloxKey KeyFromDigest(const Sha256Digest& digest) {
  const auto word = [&digest](size_t at) {
    uint32_t value = 0;
    for (size_t i = 4; i-- > 0;) value = value << 8 | digest[at + i];
    return value;
  };
  return {word(0), word(4)};
}

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
  return KeyFromDigest(sha.Finish());
}

PhiloxKey MakeOrderKey(uint64_t random_seed, uint64_t epoch) {
  return MakeHopKey(
      {.random_seed = random_seed, .epoch = epoch, .purpose = Purpose::kOrder});
}

}  // namespace tributary
