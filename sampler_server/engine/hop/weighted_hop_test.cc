#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "sampler_server/engine/draw/draw_lanes.h"
#include "sampler_server/engine/draw/weight_row.h"
#include "sampler_server/engine/hop/hop.h"
#include "sampler_server/engine/testing/definition.h"
#include "sampler_server/engine/testing/hop_rows.h"

namespace tributary {
namespace {

using Positions = std::vector<uint64_t>;
using Drawn = std::vector<Positions>;

HopQuery Weighted(const AskedNodes& asked, int32_t fanout, bool replace) {
  HopQuery query = asked.Query(fanout, replace);
  query.draw = DrawMode::kWeighted;
  return query;
}

Drawn OneRow(const std::vector<double>& weights, int32_t fanout, bool replace) {
  HopRows rows({weights.size()});
  rows.SetWeights(weights);
  return *PositionsDrawn(rows, Weighted(AskedNodes(1), fanout, replace));
}

// Vectors of docs/sampling.md: first key, local number 5.
TEST(WeightedHop, Vectors) {
  const std::vector<double> weights = {1, 2, 0, 3, 4};
  EXPECT_EQ(DefinedWeights(weights),
            (Positions{1073741824, 2147483648, 0, 3221225471, 4294967295}));
  EXPECT_EQ(OneRow(weights, 2, false), (Drawn{{1, 3}}));
  EXPECT_EQ(OneRow(weights, 6, true), (Drawn{{1, 1, 3, 3, 3, 4}}));
}

TEST(WeightedHop, WhatIsNotDrawn) {
  EXPECT_EQ(OneRow({1, 0, 2}, -1, true), (Drawn{{0, 2}}));
  EXPECT_EQ(OneRow({1, 0, 2}, 2, false), (Drawn{{0, 2}}));
  EXPECT_EQ(OneRow({1, 0, 2}, 3, false), (Drawn{{0, 2}}));
  EXPECT_EQ(OneRow({0, 5, 0}, 4, true), (Drawn{{1, 1, 1, 1}}));
  EXPECT_EQ(OneRow({0, -0.0}, 3, true), (Drawn{{}}));
  EXPECT_EQ(OneRow({0, 0}, -1, false), (Drawn{{}}));
  EXPECT_EQ(OneRow({}, 3, true), (Drawn{{}}));
  EXPECT_EQ(OneRow({1}, 0, false), (Drawn{{}}));
}

// Weights of every kind of row: alike, few large among small, mostly zeros.
std::vector<double> RandomWeights(std::mt19937_64& random, uint64_t degree) {
  std::vector<double> weights(degree);
  const int kind = static_cast<int>(random() % 4);
  for (double& w : weights) {
    const double u = static_cast<double>(random() % 1'000'003 + 1);
    w = kind == 0   ? 1
        : kind == 1 ? u
        : kind == 2 ? (random() % 8 == 0 ? u * 1e9 : 1)
                    : (random() % 5 == 0 ? u : 0);
  }
  return weights;
}

struct RandomRows {
  RandomRows(uint64_t seed, const std::vector<uint64_t>& degrees, bool wide)
      : rows(degrees, wide), asked(degrees.size()) {
    std::mt19937_64 random(seed);
    std::vector<double> all;
    for (uint64_t d : degrees) {
      weights.push_back(RandomWeights(random, d));
      all.insert(all.end(), weights.back().begin(), weights.back().end());
    }
    rows.SetWeights(all);
    for (uint32_t& tree : asked.trees) tree = random() % 3;
  }
  Drawn Defined(int32_t fanout, bool replace) const {
    Drawn drawn;
    for (size_t i = 0; i < weights.size(); ++i) {
      drawn.push_back(DefinedWeightedDraw(
          DefinedWords(kFirstKey, asked.numbers[i], asked.trees[i]),
          DefinedWeights(weights[i]), fanout, replace));
    }
    return drawn;
  }
  HopRows rows;
  AskedNodes asked;
  std::vector<std::vector<double>> weights;
};

std::vector<uint64_t> RandomDegrees(uint64_t seed, size_t n, uint64_t below) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> degrees;
  for (size_t i = 0; i < n; ++i) {
    degrees.push_back(random() % (i % 3 == 0 ? below : 12));
  }
  return degrees;
}

TEST(WeightedHop, IsTheDefinitionOnThousandsOfRows) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const RandomRows random(seed, RandomDegrees(seed, 200, 300), seed % 2 == 0);
    for (const int32_t fanout : {-1, 0, 1, 2, 5, 15, 32, 33, 100}) {
      for (const bool replace : {false, true}) {
        ASSERT_EQ(*PositionsDrawn(random.rows,
                                  Weighted(random.asked, fanout, replace)),
                  random.Defined(fanout, replace))
            << "seed " << seed << ", fanout " << fanout;
      }
    }
  }
}

// Beyond what a uniform draw does in 32 bits, what lanes take, and a block of
// drawn mass.
TEST(WeightedHop, IsTheDefinitionOnHubs) {
  const RandomRows random(3, {70'000, 5, 200'000, 66'000}, false);
  for (const int32_t fanout : {3, 20, 1500, 4000}) {
    for (const bool replace : {false, true}) {
      ASSERT_EQ(
          *PositionsDrawn(random.rows, Weighted(random.asked, fanout, replace)),
          random.Defined(fanout, replace))
          << fanout;
    }
  }
}

TEST(WeightedHop, ContinuationsAddUp) {
  const RandomRows random(8, RandomDegrees(8, 60, 200), false);
  for (const int32_t fanout : {-1, 3, 40}) {
    for (const bool replace : {false, true}) {
      for (const uint64_t piece : {1, 2, 7, 129, 5000}) {
        for (const bool exact : {false, true}) {
          HopQuery query = Weighted(random.asked, fanout, replace);
          query.exact_memory = exact;
          const auto drawn = PositionsInPieces(random.rows, query, piece);
          ASSERT_TRUE(drawn.ok()) << drawn.status();
          ASSERT_EQ(*drawn, random.Defined(fanout, replace))
              << fanout << " by " << piece;
        }
      }
    }
  }
}

TEST(WeightedHop, NeedsWeights) {
  const HopRows rows({3});
  const auto drawn = PositionsDrawn(rows, Weighted(AskedNodes(1), 2, false));
  EXPECT_EQ(drawn.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(drawn.status().message(), "the edge type has no weights");
  // A partition without edges has none either.
  EXPECT_EQ(*PositionsDrawn(HopRows({0, 0}), Weighted(AskedNodes(2), 2, false)),
            (Drawn{{}, {}}));
  HopRows few({3});
  few.weight_sum = {1, 2};
  EXPECT_EQ(
      PositionsDrawn(few, Weighted(AskedNodes(1), 2, false)).status().code(),
      absl::StatusCode::kDataLoss);
}

// Sums that descend: DATA_LOSS where a draw meets them, and never harm.
TEST(WeightedHop, DamagedSumsAreDataLossOrUnseen) {
  std::mt19937_64 random(1);
  int seen = 0;
  for (int round = 0; round < 3000; ++round) {
    HopRows rows({1 + random() % 100, 1 + random() % 10, 1 + random() % 100});
    for (uint64_t e = 0; e < rows.num_edges(); ++e) {
      rows.weight_sum.push_back(random() >> random() % 64);
    }
    for (const int32_t fanout : {-1, 1, 4, 31, 50}) {
      for (const bool replace : {false, true}) {
        const auto drawn =
            PositionsDrawn(rows, Weighted(AskedNodes(3), fanout, replace));
        if (drawn.ok()) continue;
        EXPECT_EQ(drawn.status().code(), absl::StatusCode::kDataLoss);
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 3000);
}

TEST(WeightRow, FindsFromAnywhere) {
  const RandomRows random(5, {0, 1, 2, 40}, false);
  for (size_t i = 0; i < random.weights.size(); ++i) {
    const auto weights = DefinedWeights(random.weights[i]);
    const WeightRow row(absl::MakeConstSpan(random.rows.weight_sum)
                            .subspan(random.rows.indptr[i], weights.size()));
    for (uint64_t p = 0; p < weights.size(); ++p) {
      EXPECT_EQ(row.weight(p), weights[p]);
      if (weights[p] == 0) continue;
      for (uint64_t near = 0; near < weights.size(); ++near) {
        EXPECT_EQ(row.FindNear(row.before(p), near), p);
        EXPECT_EQ(row.FindNear(row.before(p) + weights[p] - 1, near), p);
      }
    }
  }
}

}  // namespace
}  // namespace tributary
