#include "sampler_server/engine/testing/definition.h"

#include <set>

#include "common/sha256.h"

namespace tributary {

PhiloxKey DefinedKey(const DefinedKeyParts& parts) {
  Sha256 sha;
  sha.Update(std::string("tributary"));
  sha.UpdateU32(1);
  sha.UpdateU64(parts.random_seed);
  sha.UpdateU64(parts.epoch);
  sha.UpdateU64(parts.batch);
  sha.UpdateU32(parts.purpose);
  sha.UpdateU32(parts.hop);
  sha.UpdateU32(static_cast<uint32_t>(parts.name.size()));
  sha.Update(parts.name);
  const Sha256Digest digest = sha.Finish();
  const auto word = [&](size_t at) {
    uint32_t value = 0;
    for (size_t b = 0; b < 4; ++b) value |= uint32_t{digest[at + b]} << (8 * b);
    return value;
  };
  return {word(0), word(4)};
}

Words DefinedWords(PhiloxKey key, uint32_t local_number) {
  return [key, local_number](uint32_t j) {
    return Philox4x32(key, {{j / 4, local_number, 0, 0}}).word[j % 4];
  };
}

uint64_t DefinedBelow(const Words& words, uint32_t i, uint64_t n, bool wide) {
  if (!wide) return (words(i) * n) >> 32;
  const uint64_t word = words(2 * i) | uint64_t{words(2 * i + 1)} << 32;
  return static_cast<uint64_t>((static_cast<unsigned __int128>(word) * n) >>
                               64);
}

bool DefinedTakesAll(uint64_t d, int64_t k, bool replace) {
  return k == -1 || (!replace && d <= static_cast<uint64_t>(k));
}

std::vector<uint64_t> DefinedDraw(const Words& words, uint64_t d, int64_t k,
                                  bool replace) {
  std::multiset<uint64_t> taken;  // iterates in ascending order
  const bool wide = d > 65536;
  if (DefinedTakesAll(d, k, replace)) {
    for (uint64_t p = 0; p < d; ++p) taken.insert(p);
  } else if (replace) {
    for (uint32_t i = 0; d > 0 && i < k; ++i) {
      taken.insert(DefinedBelow(words, i, d, wide));
    }
  } else {
    for (uint32_t i = 0; i < k; ++i) {
      const uint64_t t = d - k + i, x = DefinedBelow(words, i, t + 1, wide);
      taken.insert(taken.count(x) > 0 ? t : x);
    }
  }
  return {taken.begin(), taken.end()};
}

}  // namespace tributary
