// Draws are independent across each part of a key and a counter, where random
// number code usually fails. Tables of 12 x 12 at fanout 1, 59,000 pairs, 121
// degrees of freedom.
#include <gtest/gtest.h>

#include <functional>

#include "tests/statistics/chi_square.h"
#include "tests/statistics/draw_source.h"

namespace tributary {
namespace {

constexpr int kPairs = 59'000;
constexpr uint64_t kCells = 12;

// Which two draws form a pair. The other parts of (seed, epoch, batch, hop,
// type, local number, tree) are the same for both.
enum class Across { kNodes, kHops, kTypes, kSeeds, kEpochs, kBatches };

using Roots = std::vector<std::vector<uint64_t>>;
using SeePair = std::function<void(uint64_t, uint64_t)>;

void PairUp(const Roots& a, const Roots& b, const SeePair& see) {
  for (size_t r = 0; r < a.size(); ++r) see(a[r].at(0), b[r].at(0));
}

// The pairs numbered `step`, as many as half the roots or all.
void OneStep(DrawSource& source, Across across, uint64_t step,
             const SeePair& see) {
  const auto batch = [&](uint64_t seed, uint64_t epoch, uint64_t index) {
    return source.Batch(seed, epoch, index);
  };
  const auto roots = [&](uint64_t seed, uint64_t epoch, uint64_t index) {
    return batch(seed, epoch, index)[0][0];
  };
  const uint64_t a = 2 * step, b = 2 * step + 1;
  switch (across) {
    case Across::kNodes: {
      const Roots all = roots(1, 0, step);
      for (size_t r = 0; r < all.size(); r += 2) see(all[r][0], all[r + 1][0]);
      return;
    }
    case Across::kHops: {
      const BatchDraws draws = batch(1, 0, step);
      return PairUp(draws[0][0], draws[0][1], see);
    }
    case Across::kTypes: {
      const BatchDraws draws = batch(1, 0, step);
      return PairUp(draws[0][0], draws[1][0], see);
    }
    case Across::kSeeds:
      return PairUp(roots(a, 2, step), roots(b, 2, step), see);
    case Across::kEpochs:
      return PairUp(roots(1, a, step), roots(1, b, step), see);
    case Across::kBatches:
      return PairUp(roots(1, step, a), roots(1, step, b), see);
  }
}

ChiSquare Joint(DrawSource& source, Across across) {
  std::vector<std::vector<int64_t>> table(kCells,
                                          std::vector<int64_t>(kCells, 0));
  int pairs = 0;
  // The lowest bits of 70,000 positions: the highest show less.
  for (uint64_t step = 0; pairs < kPairs; ++step) {
    OneStep(source, across, step, [&](uint64_t a, uint64_t b) {
      if (pairs++ < kPairs) ++table[a % kCells][b % kCells];
    });
  }
  return Independence(table);
}

struct JointCase {
  const char* name;
  Across across;
  DrawShape shape;
  Fault fault;  // that the table must find
};

constexpr DrawShape kOneHop{};
constexpr DrawShape kWide{.degree = 70'000, .roots = 4};

const JointCase kCases[] = {
    {"Nodes", Across::kNodes, kOneHop, Fault::kNumberHalved},
    {"NodesWithReplacement",
     Across::kNodes,
     {.replace = true},
     Fault::kNumberHalved},
    {"NodesWide", Across::kNodes, kWide, Fault::kNumberHalved},
    {"Trees", Across::kNodes, {.disjoint = true}, Fault::kTreeNotInCounter},
    {"TreesWide",
     Across::kNodes,
     {.degree = 70'000, .roots = 4, .disjoint = true},
     Fault::kTreeNotInCounter},
    {"Hops", Across::kHops, {.hops = 2}, Fault::kHopNotInKey},
    {"HopsWide",
     Across::kHops,
     {.degree = 70'000, .roots = 4, .hops = 2},
     Fault::kHopNotInKey},
    {"NodeAndWhatItFound",
     Across::kHops,
     {.hops = 2, .chain = true},
     Fault::kNumberWithinHop},
    {"Types", Across::kTypes, {.edge_types = 2}, Fault::kTypeNotInKey},
    {"Seeds", Across::kSeeds, kOneHop, Fault::kSeedNotInKey},
    {"Epochs", Across::kEpochs, kOneHop, Fault::kEpochNotInKey},
    {"EpochsWide", Across::kEpochs, kWide, Fault::kEpochNotInKey},
    {"Batches", Across::kBatches, kOneHop, Fault::kBatchNotInKey},
};

class JointTable : public testing::TestWithParam<JointCase> {};
INSTANTIATE_TEST_SUITE_P(All, JointTable, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST_P(JointTable, EngineIsIndependent) {
  for (const uint32_t partitions : {1u, 3u}) {
    const auto engine = FromEngine(GetParam().shape, partitions);
    const ChiSquare x = Joint(*engine, GetParam().across);
    EXPECT_EQ(x.degrees, 121);
    EXPECT_TRUE(IsPlausible(x)) << x << ", partitions " << partitions;
  }
}

TEST_P(JointTable, FindsTheFault) {
  const auto faulty = WithFault(GetParam().shape, GetParam().fault);
  const ChiSquare x = Joint(*faulty, GetParam().across);
  EXPECT_TRUE(IsRefuted(x)) << x;
}

TEST_P(JointTable, DrawsAreTheDefinitionsOnAnyPartitions) {
  const DrawShape& shape = GetParam().shape;
  const auto defined = WithFault(shape, Fault::kNone);
  const auto one = FromEngine(shape, 1), three = FromEngine(shape, 3);
  for (uint64_t i = 0; i < 3; ++i) {
    const BatchDraws want = defined->Batch(i, 2 * i, 3 * i);
    EXPECT_EQ(one->Batch(i, 2 * i, 3 * i), want);
    EXPECT_EQ(three->Batch(i, 2 * i, 3 * i), want);
  }
}

// Conditional probabilities that are off by 5 %.
TEST(Power, Joint) { EXPECT_GT(Power(121, kPairs, 0.05), 0.99); }

}  // namespace
}  // namespace tributary
