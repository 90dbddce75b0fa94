// Draws are uniform, and independent where such code usually fails: across
// nodes, hops, epochs and batches. Seeds are fixed; limits are 0.9999
// quantiles of chi-square.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>

#include "common/session/hop_key.h"
#include "sampler_server/engine/hop.h"

namespace tributary {
namespace {

// Positions drawn from nodes of one degree.
class Drawer {
 public:
  explicit Drawer(uint32_t degree) : indices_(degree), ids_(degree) {
    indptr_ = {0, degree};
    for (uint32_t i = 0; i < degree; ++i) indices_[i] = i;
    view_ = {indptr_,
             IdArray(absl::MakeConstSpan(indices_)),
             IdArray(absl::MakeConstSpan(ids_)),
             {}};
  }
  std::vector<uint64_t> Draw(PhiloxKey key, uint32_t number, int32_t k) {
    const uint64_t row = 0;
    HopQuery query;
    query.key = key;
    query.fanout = k;
    query.rows = absl::MakeConstSpan(&row, 1);
    query.local_numbers = absl::MakeConstSpan(&number, 1);
    EXPECT_TRUE(SampleHop(view_, indices_.size(), query, &out_).ok());
    return out_.neighbors;
  }

 private:
  std::vector<uint64_t> indptr_;
  std::vector<uint32_t> indices_, ids_;
  EdgePartition view_;
  HopEdges out_;
};

PhiloxKey Key(uint64_t epoch, uint64_t batch, uint32_t hop) {
  return MakeHopKey({.random_seed = 1,
                     .epoch = epoch,
                     .batch = batch,
                     .hop = hop,
                     .type_name = "node,to,node"});
}

// 20 subsets of 3 out of 6, 92,000 draws: finds a 3 % effect. df 19.
TEST(Uniformity, Subsets) {
  constexpr int kDraws = 92'000;
  Drawer drawer(6);
  std::map<std::vector<uint64_t>, int> counts;
  for (int i = 0; i < kDraws; ++i) {
    ++counts[drawer.Draw(Key(0, i / 100, 0), i % 100, 3)];
  }
  ASSERT_EQ(counts.size(), 20u);
  const double want = kDraws / 20.0;
  double chi2 = 0;
  for (const auto& [subset, n] : counts) chi2 += (n - want) * (n - want) / want;
  EXPECT_LT(chi2, 50.8);
}

// T of docs/sampling.md on the pairs of a draw: sees pairs that come together
// too often even where each position comes often enough. n(n-3)/2 degrees.
double PairStatistic(int n, int k, int draws) {
  Drawer drawer(static_cast<uint32_t>(n));
  std::vector<std::vector<double>> c(n, std::vector<double>(n, 0));
  for (int i = 0; i < draws; ++i) {
    const auto drawn = drawer.Draw(Key(7, i / 64, 1), i % 64, k);
    for (size_t a = 0; a < drawn.size(); ++a) {
      for (size_t b = a + 1; b < drawn.size(); ++b) ++c[drawn[a]][drawn[b]];
    }
  }
  const auto pi = [n, k](int j) {
    double p = 1;
    for (int f = 0; f < j; ++f) p *= static_cast<double>(k - f) / (n - f);
    return p;
  };
  std::vector<double> s(n, 0);
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      c[i][j] -= draws * pi(2);
      s[i] += c[i][j];
      s[j] += c[i][j];
    }
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      const double r = c[i][j] - (s[i] + s[j]) / (n - 2);
      sum += r * r;
    }
  }
  return sum / (draws * (pi(2) - 2 * pi(3) + pi(4)));
}

TEST(Uniformity, Pairs) {
  EXPECT_LT(PairStatistic(12, 5, 40'000), 101.0);  // df 54
  // Above 64 neighbours another loop draws. df 3,320.
  EXPECT_LT(PairStatistic(83, 8, 20'000), 3632.0);
}

// A 12 x 12 table of what two draws at fanout 1 took. df 121.
double Joint(const std::function<std::array<PhiloxKey, 2>(int)>& keys,
             const std::function<std::array<uint32_t, 2>(int)>& numbers) {
  constexpr int kPairs = 59'000;
  Drawer drawer(12);
  std::array<std::array<int, 12>, 12> table{};
  for (int i = 0; i < kPairs; ++i) {
    const auto key = keys(i);
    const auto number = numbers(i);
    ++table[drawer.Draw(key[0], number[0], 1)[0]]
           [drawer.Draw(key[1], number[1], 1)[0]];
  }
  const double want = kPairs / 144.0;
  double chi2 = 0;
  for (const auto& row : table) {
    for (int n : row) chi2 += (n - want) * (n - want) / want;
  }
  return chi2;
}

constexpr double kLimit143 = 214.0;  // the table's cells less one

std::array<uint32_t, 2> Same(int i) {
  const auto n = static_cast<uint32_t>(i % 50);
  return {n, n};
}

TEST(Independence, Nodes) {
  EXPECT_LT(Joint(
                [](int i) {
                  return std::array{Key(0, i / 50, 0), Key(0, i / 50, 0)};
                },
                [](int i) {
                  const auto n = static_cast<uint32_t>(i % 50);
                  return std::array{2 * n, 2 * n + 1};
                }),
            kLimit143);
}

TEST(Independence, Hops) {
  EXPECT_LT(Joint(
                [](int i) {
                  return std::array{Key(0, i / 50, 0), Key(0, i / 50, 1)};
                },
                Same),
            kLimit143);
}

TEST(Independence, Epochs) {
  EXPECT_LT(Joint(
                [](int i) {
                  return std::array{Key(i / 50, 3, 0), Key(i / 50 + 1, 3, 0)};
                },
                Same),
            kLimit143);
}

TEST(Independence, Batches) {
  EXPECT_LT(Joint(
                [](int i) {
                  return std::array{Key(2, i / 50, 0), Key(2, i / 50 + 1, 0)};
                },
                Same),
            kLimit143);
}

}  // namespace
}  // namespace tributary
