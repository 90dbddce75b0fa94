#include "common/random/weighted_order.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/random/integer_weight.h"

namespace tributary {

absl::StatusOr<WeightedOrder> WeightedOrder::Make(
    absl::Span<const double> weights) {
  if (weights.size() > kMaxSummedWeights) {
    return absl::InvalidArgumentError(
        absl::StrCat(weights.size(), " weights; allowed: ", kMaxSummedWeights));
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    if (IsWeight(weights[i])) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "weight ", i, " is ", weights[i], "; allowed: finite, not negative"));
  }
  std::vector<uint64_t> sums(weights.size());
  SumWeights(weights, absl::MakeSpan(sums));
  if (sums.empty() || sums.back() == 0) {
    return absl::InvalidArgumentError(
        "no weight is above 0; allowed: at least one");
  }
  return WeightedOrder(std::move(sums));
}

uint64_t WeightedOrder::At(PhiloxKey key, uint64_t i) const {
  PhiloxStream stream(key, static_cast<uint32_t>(i),
                      static_cast<uint32_t>(i >> 32));
  const uint64_t drawn = stream.BelowWide(0, sums_.back());
  return static_cast<uint64_t>(
      std::upper_bound(sums_.begin(), sums_.end(), drawn) - sums_.begin());
}

}  // namespace tributary
