#include "common/random/integer_weight.h"

#include <algorithm>
#include <cmath>

namespace tributary {

bool IsWeight(double weight) { return std::isfinite(weight) && weight >= 0; }

uint64_t IntegerWeight(double weight, double max) {
  if (weight == 0) return 0;
  // std::rint rounds by the current mode, which is to nearest even.
  return std::max<uint64_t>(
      1, static_cast<uint64_t>(std::rint(weight / max * 4294967295.0)));
}

void SumWeights(absl::Span<const double> weights, absl::Span<uint64_t> sums) {
  double max = 0;
  for (double weight : weights) max = std::max(max, weight);
  uint64_t sum = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    sums[i] = sum += IntegerWeight(weights[i], max);
  }
}

}  // namespace tributary
