#include "common/random/permutation.h"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

#include "common/random/hop_key.h"
#include "common/random/philox.h"

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

// Returns Fisher and Yates' shuffle of docs/sampling.md, whose numbers are
// drawn by words of 64 bits if `wide`.
std::vector<uint64_t> Shuffled(uint64_t n, PhiloxKey key, bool wide) {
  std::vector<uint64_t> table(n);
  std::iota(table.begin(), table.end(), 0u);
  PhiloxStream words(key, /*local_number=*/0);
  for (uint64_t i = n - 1; i >= 1; --i) {
    const auto draw = static_cast<uint32_t>(n - 1 - i);
    const unsigned __int128 of = i + 1;
    const uint64_t j =
        wide ? static_cast<uint64_t>(
                   (words.Word(2 * draw) |
                    static_cast<unsigned __int128>(words.Word(2 * draw + 1))
                        << 32) *
                       of >>
                   64)
             : static_cast<uint64_t>(words.Word(draw) * of >> 32);
    std::swap(table[i], table[j]);
  }
  return table;
}

// 2^16 indices are the most that words of 32 bits order.
TEST(Permutation, WordsAreWideAbove65536) {
  const PhiloxKey key = MakeOrderKey(11, 2);
  for (const uint64_t n : {65535u, 65536u, 65537u}) {
    EXPECT_EQ(First(Permutation::Keyed(n, key), n),
              Shuffled(n, key, n == 65537))
        << n;
  }
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
