// Chi-square statistics of counts, for tests with fixed seeds.
#ifndef TRIBUTARY_TESTS_STATISTICS_CHI_SQUARE_H_
#define TRIBUTARY_TESTS_STATISTICS_CHI_SQUARE_H_

#include <cstdint>
#include <iosfwd>
#include <vector>

namespace tributary {

// A statistic that has a chi-square distribution with `degrees` degrees of
// freedom if the draws have the distribution under test.
struct ChiSquare {
  double value = 0;
  double degrees = 0;

  // Returns the probability of a value at least as large.
  double p() const;
};
std::ostream& operator<<(std::ostream& out, const ChiSquare& x);

// A fair statistic leaves [kTail, 1 - kTail] once in 5,000 times. Both ends
// count: draws that are too even are no more random than uneven ones.
inline constexpr double kTail = 1e-4;
// Returns whether p() lies in [kTail, 1 - kTail].
bool IsPlausible(const ChiSquare& x);
// Returns whether p() is so small that chance cannot explain it, in any number
// of tests. Planted faults must give this.
bool IsRefuted(const ChiSquare& x);

// Returns the power of the test: the probability that it rejects draws whose
// cell probabilities are off by the relative `effect` (root mean square,
// weighted by probability).
double Power(double degrees, double draws, double effect);

// Tests counts against probabilities that sum to 1. Degrees: cells - 1.
ChiSquare GoodnessOfFit(const std::vector<int64_t>& counts,
                        const std::vector<double>& probabilities);
// Tests counts against equal probabilities. Degrees: cells - 1.
ChiSquare Evenness(const std::vector<int64_t>& counts);

// Tests whether rows and columns of a table are independent, whatever the
// margins. Degrees: (rows - 1) (columns - 1). Requires a count in every row and
// column.
ChiSquare Independence(const std::vector<std::vector<int64_t>>& table);

// Tests how often positions were among k of n drawn without replacement, in
// `draws` draws. `counts[b]` belongs to a bin of `sizes[b]` positions; the
// sizes sum to n. A draw's positions exclude each other, so the plain statistic
// is smaller than chi-square by (1 - k/n) / ((n-1)/n). Degrees: bins - 1.
ChiSquare Inclusion(const std::vector<int64_t>& counts,
                    const std::vector<int64_t>& sizes, int64_t k,
                    int64_t draws);

// Tests how often pairs were drawn together: pairs[i][j], i < j, over `draws`
// draws of k of n. Finds faults that Inclusion cannot. Degrees: n (n-3) / 2.
// With pi_j the chance of j given positions, d = pairs - draws pi_2 and s its
// row sums, r_ij = d_ij - (s_i + s_j) / (n - 2) lies in the one eigenspace that
// pairs have beyond single positions, with variance
// draws (pi_2 - 2 pi_3 + pi_4) (the Johnson scheme J(n, 2)).
ChiSquare PairsTogether(const std::vector<std::vector<int64_t>>& pairs,
                        int64_t k, int64_t draws);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_STATISTICS_CHI_SQUARE_H_
