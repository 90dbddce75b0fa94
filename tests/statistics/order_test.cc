// The order of an epoch's inputs, over many epochs: by a table for up to 2^20
// inputs, by a Feistel network above.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <utility>

#include "common/random/hop_key.h"
#include "common/random/permutation.h"
#include "tests/statistics/chi_square.h"

namespace tributary {
namespace {

using Order = std::vector<uint64_t>;

// Returns an order's index among the 120 orders of 5 inputs, in the factorial
// number system.
size_t NumberOf(const Order& order) {
  size_t number = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    size_t smaller = 0;
    for (size_t j = i + 1; j < order.size(); ++j) {
      smaller += order[j] < order[i] ? 1 : 0;
    }
    number = number * (order.size() - i) + smaller;
  }
  return number;
}

ChiSquare AllOrders(const std::function<Order(uint64_t epoch)>& order_of) {
  std::vector<int64_t> counts(120, 0);
  for (uint64_t epoch = 0; epoch < 12'000; ++epoch) {
    ++counts[NumberOf(order_of(epoch))];
  }
  return Evenness(counts);
}

TEST(OrderOfFew, IsUniform) {
  const ChiSquare x = AllOrders([](uint64_t epoch) {
    const Permutation p = Permutation::Keyed(5, MakeOrderKey(5, epoch));
    return Order{p[0], p[1], p[2], p[3], p[4]};
  });
  EXPECT_EQ(x.degrees, 119);
  EXPECT_TRUE(IsPlausible(x)) << x;
}

// Planted fault: each place is swapped with any place; 5^5 ways cannot fall
// evenly on 120 orders.
TEST(OrderOfFew, FindsTheNaiveShuffle) {
  const ChiSquare x = AllOrders([](uint64_t epoch) {
    PhiloxStream stream(MakeOrderKey(5, epoch), 0);
    Order order(5);
    std::iota(order.begin(), order.end(), 0);
    for (uint32_t i = 0; i < 5; ++i) {
      std::swap(order[i], order[stream.BelowNarrow(i, 5)]);
    }
    return order;
  });
  EXPECT_TRUE(IsRefuted(x)) << x;
}

TEST(OrderOfFew, FindsAnEpochThatIsNotInTheKey) {
  const ChiSquare x = AllOrders([](uint64_t) {
    const Permutation p = Permutation::Keyed(5, MakeOrderKey(5, 0));
    return Order{p[0], p[1], p[2], p[3], p[4]};
  });
  EXPECT_TRUE(IsRefuted(x)) << x;
}

TEST(OrderOfFew, Power) { EXPECT_GT(Power(119, 12'000, 0.12), 0.99); }

// --- above 2^20 --------------------------------------------------------------

// The network of docs/sampling.md, with any number of rounds, and its inverse.
struct Network {
  uint64_t n;
  PhiloxKey key;
  uint32_t rounds = 8;

  int half_bits() const {
    int bits = 2;
    while (bits < 64 && (uint64_t{1} << bits) < n) bits += 2;
    return bits / 2;
  }
  uint64_t F(uint64_t half, uint32_t round) const {
    const uint64_t mask = (uint64_t{1} << half_bits()) - 1;
    return Philox4x32(key, {{static_cast<uint32_t>(half), round, 0, 0}})
               .word[0] &
           mask;
  }
  uint64_t Once(uint64_t x, bool forwards) const {
    uint64_t left = x >> half_bits();
    uint64_t right = x & ((uint64_t{1} << half_bits()) - 1);
    for (uint32_t k = 0; k < rounds; ++k) {
      if (forwards) {
        left = std::exchange(right, left ^ F(right, k));
      } else {
        right = std::exchange(left, right ^ F(left, rounds - 1 - k));
      }
    }
    return left << half_bits() | right;
  }
  uint64_t operator[](uint64_t x) const { return Walk(x, true); }
  uint64_t Inverse(uint64_t y) const { return Walk(y, false); }

 private:
  uint64_t Walk(uint64_t x, bool forwards) const {
    do {
      x = Once(x, forwards);
    } while (x >= n);
    return x;
  }
};

// Sizes at which the network holds the inputs exactly, hardly, and up to four
// times over. permutation_test enumerates two of them whole.
constexpr uint64_t kSizes[] = {(1ull << 20) + 1,  (1ull << 22),
                               (1ull << 22) + 1,  3'000'000'019ull,
                               (1ull << 40) + 27, (1ull << 62) - 57};

TEST(OrderOfMany, HasAnInverse) {
  for (const uint64_t n : kSizes) {
    const PhiloxKey key = MakeOrderKey(3, n);
    const Permutation p = Permutation::Keyed(n, key);
    const Network network{n, key};
    for (uint64_t i = 0; i < 2000; ++i) {
      const uint64_t x = i * (n / 2000) + i % 7;
      ASSERT_LT(p[x], n);
      ASSERT_EQ(p[x], network[x]) << n;
      ASSERT_EQ(network.Inverse(p[x]), x) << n;
    }
  }
}

constexpr uint64_t kMany = (uint64_t{1} << 20) + 7;
constexpr int64_t kEpochs = 59'000;

using PlaceOf = std::function<uint64_t(uint64_t epoch, uint64_t i)>;

uint64_t Keyed(uint64_t epoch, uint64_t i) {
  return Permutation::Keyed(kMany, MakeOrderKey(9, epoch))[i];
}

// The positions of input i over the epochs, by range.
ChiSquare Places(const PlaceOf& place, uint64_t i) {
  std::vector<int64_t> counts(64, 0);
  for (int64_t e = 0; e < kEpochs; ++e) ++counts[place(e, i) * 64 / kMany];
  return Evenness(counts);
}

// Where two inputs go: 12 x 12 ranges, 121 degrees. That the two never share
// one of 2^20 places is far below what 59,000 epochs show.
ChiSquare TwoPlaces(const PlaceOf& place, uint64_t i, uint64_t j) {
  std::vector<std::vector<int64_t>> table(12, std::vector<int64_t>(12, 0));
  for (int64_t e = 0; e < kEpochs; ++e) {
    ++table[place(e, i) * 12 / kMany][place(e, j) * 12 / kMany];
  }
  return Independence(table);
}

// The positions of an input in one epoch and the next.
ChiSquare TwoEpochs(const PlaceOf& place, uint64_t i) {
  std::vector<std::vector<int64_t>> table(12, std::vector<int64_t>(12, 0));
  for (int64_t e = 0; e < kEpochs; ++e) {
    ++table[place(2 * e, i) * 12 / kMany][place(2 * e + 1, i) * 12 / kMany];
  }
  return Independence(table);
}

TEST(OrderOfMany, PutsEachInputAnywhere) {
  for (const uint64_t i : {uint64_t{0}, uint64_t{77}, kMany / 2, kMany - 1}) {
    const ChiSquare x = Places(Keyed, i);
    EXPECT_TRUE(IsPlausible(x)) << x << ", input " << i;
  }
}

// Neighbours by number, and by half: what a Feistel network could confuse.
TEST(OrderOfMany, InputsAreIndependent) {
  for (const auto& [i, j] : {std::pair<uint64_t, uint64_t>{0, 1},
                             {1024, 2048},
                             {5, 5 + (1 << 11)},
                             {0, kMany - 1}}) {
    const ChiSquare x = TwoPlaces(Keyed, i, j);
    EXPECT_TRUE(IsPlausible(x)) << x << ", inputs " << i << ", " << j;
  }
}

TEST(OrderOfMany, EpochsAreIndependent) {
  const ChiSquare x = TwoEpochs(Keyed, 123'456);
  EXPECT_TRUE(IsPlausible(x)) << x;
}

TEST(OrderOfMany, FindsTooFewRounds) {
  const auto one_round = [](uint64_t epoch, uint64_t i) {
    return Network{kMany, MakeOrderKey(9, epoch), 1}[i];
  };
  EXPECT_TRUE(IsRefuted(Places(one_round, 77)));
  // Inputs of one low half stay a fixed distance apart for two rounds.
  const auto two_rounds = [](uint64_t epoch, uint64_t i) {
    return Network{kMany, MakeOrderKey(9, epoch), 2}[i];
  };
  EXPECT_TRUE(IsRefuted(TwoPlaces(two_rounds, 5, 5 + (1 << 11))));
}

TEST(OrderOfMany, FindsAnEpochThatIsNotInTheKey) {
  const auto every_second = [](uint64_t epoch, uint64_t i) {
    return Keyed(epoch / 2, i);
  };
  EXPECT_TRUE(IsRefuted(TwoEpochs(every_second, 123'456)));
}

}  // namespace
}  // namespace tributary
