// Within one node's draw, subsets, positions, pairs and multisets have the
// right frequencies. Each statistic runs on the engine, with one partition and
// with three, and on an implementation with a fault that it must detect.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "tests/statistics/chi_square.h"
#include "tests/statistics/draw_source.h"

namespace tributary {
namespace {

using Positions = std::vector<uint64_t>;

// Makes this many draws, batch after batch.
void ForEachDraw(DrawSource& source, int64_t draws,
                 const std::function<void(const Positions&)>& see) {
  for (uint64_t batch = 0; draws > 0; ++batch) {
    const BatchDraws all = source.Batch(1, 0, batch);
    for (const Positions& drawn : all[0][0]) {
      if (draws-- <= 0) return;
      see(drawn);
    }
  }
}

double Choose(int64_t n, int64_t k) {
  double ways = 1;
  for (int64_t i = 0; i < k; ++i) {
    ways *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return ways;
}

// Returns all ascending k-tuples of [0, n); with equal members if `repeats`.
std::vector<Positions> Tuples(uint64_t n, int32_t k, bool repeats) {
  std::vector<Positions> tuples = {{}};
  for (int32_t i = 0; i < k; ++i) {
    std::vector<Positions> longer;
    for (const Positions& t : tuples) {
      uint64_t from = t.empty() ? 0 : t.back() + (repeats ? 0 : 1);
      for (; from < n; ++from) {
        longer.push_back(t);
        longer.back().push_back(from);
      }
    }
    tuples = std::move(longer);
  }
  return tuples;
}

// Returns the share of the n^k ordered draws that give this multiset.
double MultinomialShare(const Positions& multiset, uint64_t n) {
  double share = 1;
  std::map<uint64_t, int> times;
  for (size_t i = 0; i < multiset.size(); ++i) {
    share *= static_cast<double>(i + 1) / static_cast<double>(n) /
             ++times[multiset[i]];
  }
  return share;
}

// Compares every outcome of a small draw with its probability.
ChiSquare Outcomes(DrawSource& source, int64_t draws) {
  const DrawShape& shape = source.shape();
  std::map<Positions, size_t> cell;
  std::vector<double> probability;
  for (const Positions& t : Tuples(shape.degree, shape.fanout, shape.replace)) {
    cell[t] = probability.size();
    probability.push_back(
        shape.replace
            ? MultinomialShare(t, shape.degree)
            : 1 / Choose(static_cast<int64_t>(shape.degree), shape.fanout));
  }
  std::vector<int64_t> counts(cell.size(), 0);
  ForEachDraw(source, draws, [&](const Positions& p) { ++counts[cell.at(p)]; });
  return GoodnessOfFit(counts, probability);
}

// Positions by range, in `bins` of about the same size.
ChiSquare ByPosition(DrawSource& source, int64_t draws, int64_t bins) {
  const auto n = static_cast<int64_t>(source.shape().degree);
  std::vector<int64_t> counts(bins, 0), sizes(bins, 0);
  for (int64_t p = 0; p < n; ++p) ++sizes[p * bins / n];
  ForEachDraw(source, draws, [&](const Positions& drawn) {
    for (uint64_t p : drawn) ++counts[static_cast<int64_t>(p) * bins / n];
  });
  return Inclusion(counts, sizes, source.shape().fanout, draws);
}

ChiSquare Pairs(DrawSource& source, int64_t draws) {
  const uint64_t n = source.shape().degree;
  std::vector<std::vector<int64_t>> pairs(n, std::vector<int64_t>(n, 0));
  ForEachDraw(source, draws, [&](const Positions& drawn) {
    for (size_t a = 0; a < drawn.size(); ++a) {
      for (size_t b = a + 1; b < drawn.size(); ++b) {
        ++pairs[drawn[a]][drawn[b]];
      }
    }
  });
  return PairsTogether(pairs, source.shape().fanout, draws);
}

// Two positions of very many, by the bins that they fall in: high bits (range)
// or low ones (remainder). Probabilities are exact.
enum class Bits { kHigh, kLow };
ChiSquare TwoOfMany(DrawSource& source, int64_t draws, Bits bits) {
  constexpr uint64_t kBins = 12;
  const uint64_t n = source.shape().degree;
  const auto bin = [&](uint64_t p) {
    return bits == Bits::kHigh ? p * kBins / n : p % kBins;
  };
  std::vector<int64_t> sizes(kBins, 0);
  for (uint64_t p = 0; p < n; ++p) ++sizes[bin(p)];
  std::map<std::pair<uint64_t, uint64_t>, size_t> cell;
  std::vector<double> probability;
  for (uint64_t a = 0; a < kBins; ++a) {
    for (uint64_t b = a; b < kBins; ++b) {
      cell[{a, b}] = probability.size();
      const double ways = a == b ? Choose(sizes[a], 2)
                                 : static_cast<double>(sizes[a] * sizes[b]);
      probability.push_back(ways / Choose(static_cast<int64_t>(n), 2));
    }
  }
  std::vector<int64_t> counts(cell.size(), 0);
  ForEachDraw(source, draws, [&](const Positions& p) {
    ++counts[cell.at(std::minmax(bin(p.at(0)), bin(p.at(1))))];
  });
  return GoodnessOfFit(counts, probability);
}

constexpr DrawShape kSubsets = {.degree = 6, .roots = 100, .fanout = 3};
constexpr DrawShape kMultisets = {
    .degree = 4, .roots = 100, .fanout = 3, .replace = true};
constexpr DrawShape kMoreThanThereAre = {
    .degree = 2, .roots = 100, .fanout = 5, .replace = true};
// One for each loop that draws: up to 64 neighbours, up to 2^16 with few
// positions and with many.
constexpr DrawShape kInWord = {.degree = 12, .roots = 64, .fanout = 5};
constexpr DrawShape kInBitmap = {.degree = 83, .roots = 64, .fanout = 8};
constexpr DrawShape kManyInBitmap = {.degree = 100, .roots = 64, .fanout = 40};
constexpr DrawShape kWide = {.degree = 70'000, .roots = 4, .fanout = 2};
constexpr DrawShape kManyWide = {
    .degree = 70'000, .roots = 4, .fanout = 20'000};

class Uniformity : public testing::TestWithParam<uint32_t> {
 protected:
  std::unique_ptr<DrawSource> Engine(const DrawShape& shape) const {
    return FromEngine(shape, GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(Partitions, Uniformity, testing::Values(1, 3));

TEST_P(Uniformity, Subsets) {
  const ChiSquare x = Outcomes(*Engine(kSubsets), 92'000);
  EXPECT_EQ(x.degrees, 19);
  EXPECT_TRUE(IsPlausible(x)) << x;
}

TEST_P(Uniformity, Multisets) {
  const ChiSquare x = Outcomes(*Engine(kMultisets), 92'000);
  EXPECT_EQ(x.degrees, 19);
  EXPECT_TRUE(IsPlausible(x)) << x;
  const ChiSquare more = Outcomes(*Engine(kMoreThanThereAre), 92'000);
  EXPECT_EQ(more.degrees, 5);
  EXPECT_TRUE(IsPlausible(more)) << more;
}

TEST_P(Uniformity, Inclusion) {
  const ChiSquare word = ByPosition(*Engine(kInWord), 40'000, 12);
  EXPECT_TRUE(IsPlausible(word)) << word;
  const ChiSquare bitmap = ByPosition(*Engine(kInBitmap), 20'000, 83);
  EXPECT_TRUE(IsPlausible(bitmap)) << bitmap;
  const ChiSquare many = ByPosition(*Engine(kManyInBitmap), 5'000, 100);
  EXPECT_TRUE(IsPlausible(many)) << many;
  const ChiSquare wide = ByPosition(*Engine(kManyWide), 60, 70);
  EXPECT_TRUE(IsPlausible(wide)) << wide;
}

TEST_P(Uniformity, Pairs) {
  const ChiSquare word = Pairs(*Engine(kInWord), 40'000);
  EXPECT_EQ(word.degrees, 54);
  EXPECT_TRUE(IsPlausible(word)) << word;
  const ChiSquare bitmap = Pairs(*Engine(kInBitmap), 20'000);
  EXPECT_EQ(bitmap.degrees, 3320);
  EXPECT_TRUE(IsPlausible(bitmap)) << bitmap;
  const ChiSquare many = Pairs(*Engine(kManyInBitmap), 5'000);
  EXPECT_TRUE(IsPlausible(many)) << many;
}

TEST_P(Uniformity, WideDraws) {
  const auto engine = Engine(kWide);
  for (const Bits bits : {Bits::kHigh, Bits::kLow}) {
    const ChiSquare x = TwoOfMany(*engine, 40'000, bits);
    EXPECT_EQ(x.degrees, 77);
    EXPECT_TRUE(IsPlausible(x)) << x;
  }
  const ChiSquare each = ByPosition(*engine, 80'000, 70'000);
  EXPECT_EQ(each.degrees, 69'999);
  EXPECT_TRUE(IsPlausible(each)) << each;
}

// Each statistic can fail: it detects a planted fault.
TEST(UniformityFinds, AModuloOfFiveBits) {
  const auto faulty = WithFault(kSubsets, Fault::kModuloOfFiveBits);
  const ChiSquare subsets = Outcomes(*faulty, 92'000);
  EXPECT_TRUE(IsRefuted(subsets)) << subsets;
  const auto positions = WithFault(kInWord, Fault::kModuloOfFiveBits);
  const ChiSquare inclusion = ByPosition(*positions, 40'000, 12);
  EXPECT_TRUE(IsRefuted(inclusion)) << inclusion;
}

TEST(UniformityFinds, FloydWithAnotherRuleForWhatIsTaken) {
  const auto subsets = WithFault(kSubsets, Fault::kFloydTakesNext);
  EXPECT_TRUE(IsRefuted(Outcomes(*subsets, 92'000)));
  const auto many = WithFault(kManyWide, Fault::kFloydTakesNext);
  EXPECT_TRUE(IsRefuted(ByPosition(*many, 60, 70)));
}

TEST(UniformityFinds, RunsOfNeighbours) {
  for (const DrawShape& shape : {kInWord, kInBitmap}) {
    const auto faulty = WithFault(shape, Fault::kRunOfNeighbors);
    const ChiSquare pairs = Pairs(*faulty, 20'000);
    EXPECT_TRUE(IsRefuted(pairs)) << pairs;
  }
  const auto wide = WithFault(kWide, Fault::kRunOfNeighbors);
  EXPECT_TRUE(IsRefuted(TwoOfMany(*wide, 40'000, Bits::kLow)));
}

TEST(UniformityFinds, WordsUsedTwice) {
  const auto faulty = WithFault(kMultisets, Fault::kSameWordTwice);
  EXPECT_TRUE(IsRefuted(Outcomes(*faulty, 92'000)));
}

TEST(UniformityFinds, RepeatsLeftOut) {
  const auto faulty = WithFault(kMultisets, Fault::kDropsRepeats);
  EXPECT_TRUE(IsRefuted(Outcomes(*faulty, 92'000)));
}

// 2^16 values cannot reach every one of 70,000 positions.
TEST(UniformityFinds, WideDrawsOfFewBits) {
  const auto faulty = WithFault(kWide, Fault::kSixteenBits);
  const ChiSquare x = ByPosition(*faulty, 80'000, 70'000);
  EXPECT_TRUE(IsRefuted(x)) << x;
}

// The draws measured above are the engine's, and the planted faults are the
// only difference from the definition.
TEST(Draws, AreTheDefinitionsOnAnyPartitions) {
  for (const DrawShape& shape :
       {kSubsets, kMultisets, kMoreThanThereAre, kInWord, kInBitmap,
        kManyInBitmap, kWide, kManyWide}) {
    const auto defined = WithFault(shape, Fault::kNone);
    const auto one = FromEngine(shape, 1), three = FromEngine(shape, 3);
    for (uint64_t batch = 0; batch < 3; ++batch) {
      const BatchDraws want = defined->Batch(1, 0, batch);
      EXPECT_EQ(one->Batch(1, 0, batch), want) << shape.degree;
      EXPECT_EQ(three->Batch(1, 0, batch), want) << shape.degree;
    }
  }
}

// The smallest effects that these sizes detect, as docs/testing.md states.
TEST(Power, Uniformity) {
  EXPECT_GT(Power(19, 92'000, 0.03), 0.99);  // subsets, multisets
  EXPECT_LT(Power(19, 92'000, 0.01), 0.02);
  EXPECT_GT(Power(77, 40'000, 0.06), 0.99);  // wide
}

}  // namespace
}  // namespace tributary
