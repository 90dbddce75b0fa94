#include "tests/statistics/chi_square.h"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/non_central_chi_squared.hpp>
#include <numeric>
#include <ostream>

namespace tributary {
namespace {

int64_t Sum(const std::vector<int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), int64_t{0});
}

double Term(double count, double expected) {
  return (count - expected) * (count - expected) / expected;
}

// Returns the probability that j given positions are all among k of n.
double Together(int64_t j, int64_t k, int64_t n) {
  double p = 1;
  for (int64_t f = 0; f < j; ++f) {
    p *= static_cast<double>(k - f) / static_cast<double>(n - f);
  }
  return p;
}

}  // namespace

double ChiSquare::p() const {
  const boost::math::chi_squared distribution(degrees);
  return boost::math::cdf(boost::math::complement(distribution, value));
}

std::ostream& operator<<(std::ostream& out, const ChiSquare& x) {
  return out << "chi-square " << x.value << " with " << x.degrees
             << " degrees, p " << x.p();
}

bool IsPlausible(const ChiSquare& x) {
  return x.p() >= kTail && x.p() <= 1 - kTail;
}

bool IsRefuted(const ChiSquare& x) { return x.p() < 1e-12; }

double Power(double degrees, double draws, double effect) {
  const double limit = boost::math::quantile(
      boost::math::complement(boost::math::chi_squared(degrees), kTail));
  const boost::math::non_central_chi_squared biased(degrees,
                                                    draws * effect * effect);
  return boost::math::cdf(boost::math::complement(biased, limit));
}

ChiSquare GoodnessOfFit(const std::vector<int64_t>& counts,
                        const std::vector<double>& probabilities) {
  const auto total = static_cast<double>(Sum(counts));
  ChiSquare x{0, static_cast<double>(counts.size()) - 1};
  for (size_t i = 0; i < counts.size(); ++i) {
    x.value += Term(static_cast<double>(counts[i]), total * probabilities[i]);
  }
  return x;
}

ChiSquare Evenness(const std::vector<int64_t>& counts) {
  const double each = 1 / static_cast<double>(counts.size());
  return GoodnessOfFit(counts, std::vector<double>(counts.size(), each));
}

ChiSquare Independence(const std::vector<std::vector<int64_t>>& table) {
  const size_t columns = table[0].size();
  std::vector<int64_t> column_sum(columns, 0);
  for (const auto& row : table) {
    for (size_t c = 0; c < columns; ++c) column_sum[c] += row[c];
  }
  const auto total = static_cast<double>(Sum(column_sum));
  ChiSquare x{0, static_cast<double>((table.size() - 1) * (columns - 1))};
  for (const auto& row : table) {
    const auto row_sum = static_cast<double>(Sum(row));
    for (size_t c = 0; c < columns; ++c) {
      x.value += Term(static_cast<double>(row[c]),
                      row_sum * static_cast<double>(column_sum[c]) / total);
    }
  }
  return x;
}

ChiSquare Inclusion(const std::vector<int64_t>& counts,
                    const std::vector<int64_t>& sizes, int64_t k,
                    int64_t draws) {
  const auto n = static_cast<double>(Sum(sizes));
  const double share = static_cast<double>(k) / n;
  ChiSquare x{0, static_cast<double>(counts.size()) - 1};
  for (size_t b = 0; b < counts.size(); ++b) {
    x.value += Term(static_cast<double>(counts[b]),
                    static_cast<double>(draws * sizes[b]) * share);
  }
  x.value *= (n - 1) / n / (1 - share);
  return x;
}

ChiSquare PairsTogether(const std::vector<std::vector<int64_t>>& pairs,
                        int64_t k, int64_t draws) {
  const size_t n = pairs.size();
  const auto m = static_cast<double>(draws);
  const auto pi = [&](int64_t j) {
    return Together(j, k, static_cast<int64_t>(n));
  };
  const auto d = [&](size_t i, size_t j) {
    return static_cast<double>(pairs[i][j]) - m * pi(2);
  };
  std::vector<double> s(n, 0);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i + 1; j < n; ++j) {
      s[i] += d(i, j);
      s[j] += d(i, j);
    }
  }
  double sum = 0;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i + 1; j < n; ++j) {
      const double r = d(i, j) - (s[i] + s[j]) / static_cast<double>(n - 2);
      sum += r * r;
    }
  }
  return {sum / (m * (pi(2) - 2 * pi(3) + pi(4))),
          static_cast<double>(n * (n - 3)) / 2};
}

}  // namespace tributary
