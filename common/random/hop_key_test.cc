#include "common/random/hop_key.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace tributary {
namespace {

HopKeyParts Parts() {
  return {.random_seed = 11,
          .epoch = 2,
          .batch = 0,
          .purpose = Purpose::kNeighbors,
          .hop = 0,
          .type_name = "node,to,node"};
}

// Vectors of docs/sampling.md.
TEST(HopKey, Vectors) {
  EXPECT_EQ(MakeHopKey(Parts()), (PhiloxKey{0xa9034aaf, 0x0c819c21}));
  EXPECT_EQ(MakeOrderKey(11, 2), (PhiloxKey{0xde32be1d, 0x3445cdde}));
}

// Each part, over its whole width, makes another key.
TEST(HopKey, EveryPartCounts) {
  std::vector<HopKeyParts> all(1, Parts());
  const auto with = [&all](auto change) {
    HopKeyParts parts = Parts();
    change(parts);
    all.push_back(parts);
  };
  with([](auto& p) { p.random_seed = 11 + (uint64_t{1} << 32); });
  with([](auto& p) { p.random_seed = UINT64_MAX; });
  with([](auto& p) { p.epoch = 2 + (uint64_t{1} << 63); });
  with([](auto& p) { p.batch = uint64_t{1} << 32; });
  with([](auto& p) { p.batch = 1; });
  with([](auto& p) { p.purpose = Purpose::kNegatives; });
  with([](auto& p) { p.hop = 1; });
  with([](auto& p) { p.type_name = "node,to,nodf"; });
  with([](auto& p) { p.type_name = ""; });
  std::set<std::pair<uint32_t, uint32_t>> keys;
  for (const HopKeyParts& parts : all) {
    const PhiloxKey key = MakeHopKey(parts);
    keys.emplace(key.k0, key.k1);
  }
  EXPECT_EQ(keys.size(), all.size());
}

// A node draws once for each (batch, hop, edge type), so keys that differ make
// every (key, counter) of a run differ.
TEST(HopKey, NoKeyRepeatsInARun) {
  std::set<std::pair<uint32_t, uint32_t>> keys;
  size_t made = 0;
  const auto add = [&](const PhiloxKey& key) {
    keys.emplace(key.k0, key.k1);
    ++made;
  };
  for (uint64_t epoch = 0; epoch < 3; ++epoch) {
    add(MakeOrderKey(11, epoch));
    for (uint64_t batch = 0; batch < 500; ++batch) {
      for (uint32_t hop = 0; hop < 3; ++hop) {
        for (const char* type : {"a,to,a", "a,to,b", "b,to,a"}) {
          add(MakeHopKey({.random_seed = 11,
                          .epoch = epoch,
                          .batch = batch,
                          .hop = hop,
                          .type_name = type}));
        }
      }
    }
  }
  EXPECT_EQ(keys.size(), made);
}

TEST(HopKeyTest, AKeyIsTheFirstTwoLittleEndianWordsOfADigest) {
  Sha256Digest digest{};
  for (size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<uint8_t>(i + 1);
  }
  EXPECT_EQ(KeyFromDigest(digest), (PhiloxKey{0x04030201, 0x08070605}));
}

}  // namespace
}  // namespace tributary
