#include "sampler_server/engine/testing/definition.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "common/hash/sha256.h"

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

Words DefinedWords(PhiloxKey key, uint32_t local_number, uint32_t tree) {
  return [key, local_number, tree](uint32_t j) {
    return Philox4x32(key, {{j / 4, local_number, tree, 0}}).word[j % 4];
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

std::vector<uint64_t> DefinedWeights(const std::vector<double>& weights) {
  double most = 0;
  for (double w : weights) most = std::max(most, w);
  std::vector<uint64_t> integers;
  for (double w : weights) {
    const double scaled = std::rint(w / most * 4294967295.0);
    integers.push_back(w == 0 ? 0
                              : static_cast<uint64_t>(std::max(1., scaled)));
  }
  return integers;
}

std::vector<uint64_t> DefinedWeightedDraw(const Words& words,
                                          const std::vector<uint64_t>& weights,
                                          int64_t k, bool replace) {
  std::vector<uint64_t> prefix = {0}, positive;
  for (size_t p = 0; p < weights.size(); ++p) {
    prefix.push_back(prefix.back() + weights[p]);
    if (weights[p] > 0) positive.push_back(p);
  }
  if (DefinedTakesAll(positive.size(), k, replace)) return positive;
  uint64_t left = prefix.back();
  std::multiset<uint64_t> drawn;
  for (uint32_t i = 0; left > 0 && i < k; ++i) {
    uint64_t r = DefinedBelow(words, i, left, /*wide=*/true);
    if (!replace) {
      for (uint64_t p : drawn) r += r >= prefix[p] ? weights[p] : 0;
    }
    uint64_t p = 0;
    while (r >= prefix[p + 1]) ++p;
    drawn.insert(p);
    if (!replace) left -= weights[p];
  }
  return {drawn.begin(), drawn.end()};
}

std::vector<uint64_t> DefinedTimedDraw(const Words& words,
                                       const std::vector<int64_t>& times,
                                       const DefinedTime& asked, int64_t k,
                                       bool replace) {
  std::vector<std::pair<int64_t, uint64_t>> order;
  for (size_t p = 0; p < times.size(); ++p) {
    if (times[p] < asked.bound || (times[p] == asked.bound && !asked.strict)) {
      order.emplace_back(times[p], p);
    }
  }
  std::sort(order.begin(), order.end());
  const uint64_t m = order.size();
  std::vector<uint64_t> ranks, positions;
  if (asked.latest) {
    const uint64_t most = k == -1 ? m : std::min<uint64_t>(m, k);
    for (uint64_t rank = m - most; rank < m; ++rank) ranks.push_back(rank);
  } else {
    ranks = DefinedDraw(words, m, k, replace);
  }
  for (uint64_t rank : ranks) positions.push_back(order[rank].second);
  std::sort(positions.begin(), positions.end());
  return positions;
}

uint64_t DefinedVariate(PhiloxKey key, uint64_t original_id) {
  const PhiloxBlock block =
      Philox4x32(key, {{static_cast<uint32_t>(original_id),
                        static_cast<uint32_t>(original_id >> 32), 0, 0}});
  return block.word[0] | uint64_t{block.word[1]} << 32;
}

std::vector<uint64_t> DefinedLaborDraw(PhiloxKey key,
                                       const std::vector<uint64_t>& ids,
                                       int64_t k) {
  std::vector<uint64_t> positions(ids.size());
  std::iota(positions.begin(), positions.end(), 0);
  std::stable_sort(
      positions.begin(), positions.end(), [&](uint64_t a, uint64_t b) {
        return DefinedVariate(key, ids[a]) < DefinedVariate(key, ids[b]);
      });
  if (k != -1 && ids.size() > static_cast<uint64_t>(k)) positions.resize(k);
  std::sort(positions.begin(), positions.end());
  return positions;
}

}  // namespace tributary
