#include "common/random/permutation.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/random/hop_key.h"

namespace tributary {
namespace {

std::vector<uint64_t> First(const Permutation& p, uint64_t n) {
  std::vector<uint64_t> values;
  for (uint64_t i = 0; i < n; ++i) values.push_back(p[i]);
  return values;
}

bool IsPermutation(const Permutation& p) {
  std::vector<bool> seen(p.size(), false);
  for (uint64_t i = 0; i < p.size(); ++i) {
    const uint64_t v = p[i];
    if (v >= p.size() || seen[v]) return false;
    seen[v] = true;
  }
  return true;
}

// Vectors of docs/sampling.md.
TEST(Permutation, Vectors) {
  const PhiloxKey key = MakeOrderKey(11, 2);
  EXPECT_EQ(First(Permutation::Keyed(10, key), 10),
            (std::vector<uint64_t>{9, 6, 3, 2, 0, 5, 4, 7, 1, 8}));
  EXPECT_EQ(First(Permutation::Keyed((1 << 20) + 7, key), 4),
            (std::vector<uint64_t>{367551, 526582, 578085, 530621}));
}

TEST(Permutation, TakesEachIndexOnce) {
  const PhiloxKey key = MakeOrderKey(3, 0);
  for (uint64_t n : {0, 1, 2, 3, 5, 1000, 65536, 65537, 1 << 20}) {
    EXPECT_TRUE(IsPermutation(Permutation::Keyed(n, key))) << n;
  }
  EXPECT_TRUE(IsPermutation(Permutation::Identity(7)));
  EXPECT_EQ(First(Permutation::Identity(4), 4),
            (std::vector<uint64_t>{0, 1, 2, 3}));
}

// Just above the table, and where the Feistel network holds about four times
// as many values, so that its walks are longest.
TEST(Permutation, FeistelTakesEachIndexOnce) {
  const PhiloxKey key = MakeOrderKey(3, 1);
  EXPECT_TRUE(IsPermutation(Permutation::Keyed((1 << 20) + 1, key)));
  EXPECT_TRUE(IsPermutation(Permutation::Keyed((1 << 21) + 13, key)));
}

}  // namespace
}  // namespace tributary
