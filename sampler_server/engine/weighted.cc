#include "sampler_server/engine/weighted.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

uint64_t WeightAt(absl::Span<const uint64_t> prefix, uint64_t position) {
  return prefix[position + 1] - prefix[position];
}

// The position with prefix[p] <= r < prefix[p + 1].
uint64_t PositionOf(absl::Span<const uint64_t> prefix, uint64_t r) {
  const auto above = std::upper_bound(prefix.begin(), prefix.end(), r);
  return static_cast<uint64_t>(above - prefix.begin()) - 1;
}

std::vector<uint64_t> PositivePositions(absl::Span<const uint64_t> prefix) {
  std::vector<uint64_t> positions;
  for (uint64_t p = 0; p + 1 < prefix.size(); ++p) {
    if (WeightAt(prefix, p) > 0) positions.push_back(p);
  }
  return positions;
}

std::vector<uint64_t> WithReplacement(absl::Span<const uint64_t> prefix,
                                      uint32_t k, PhiloxStream& stream) {
  std::vector<uint64_t> positions(k);
  for (uint32_t i = 0; i < k; ++i) {
    positions[i] = PositionOf(prefix, stream.BelowWide(i, prefix.back()));
  }
  std::sort(positions.begin(), positions.end());
  return positions;
}

std::vector<uint64_t> Successive(absl::Span<const uint64_t> prefix, uint32_t k,
                                 PhiloxStream& stream) {
  std::vector<uint64_t> drawn;  // ascending
  uint64_t mass_left = prefix.back();
  for (uint32_t i = 0; i < k; ++i) {
    uint64_t r = stream.BelowWide(i, mass_left);
    for (uint64_t p : drawn) {
      if (r >= prefix[p]) r += WeightAt(prefix, p);
    }
    const uint64_t position = PositionOf(prefix, r);
    mass_left -= WeightAt(prefix, position);
    drawn.insert(std::lower_bound(drawn.begin(), drawn.end(), position),
                 position);
  }
  return drawn;
}

}  // namespace

absl::StatusOr<std::vector<uint32_t>> IntegerWeights(
    absl::Span<const double> weights) {
  double most = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i]) || weights[i] < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("weight ", weights[i], " at position ", i,
                       "; allowed: finite and not negative"));
    }
    most = std::max(most, weights[i]);
  }
  std::vector<uint32_t> integers(weights.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    integers[i] = static_cast<uint32_t>(
        std::max(1.0, std::nearbyint(weights[i] / most * 4294967295.0)));
  }
  return integers;
}

std::vector<uint64_t> PrefixSums(absl::Span<const uint32_t> weights) {
  std::vector<uint64_t> prefix(weights.size() + 1);
  for (size_t i = 0; i < weights.size(); ++i) {
    prefix[i + 1] = prefix[i] + weights[i];
  }
  return prefix;
}

std::vector<uint64_t> DrawWeighted(absl::Span<const uint64_t> prefix,
                                   int32_t fanout, bool replace,
                                   PhiloxStream stream) {
  if (prefix.empty() || prefix.back() == 0 || fanout == 0) return {};
  std::vector<uint64_t> positive;
  if (fanout < 0) return PositivePositions(prefix);
  const auto k = static_cast<uint32_t>(fanout);
  if (replace) return WithReplacement(prefix, k, stream);
  positive = PositivePositions(prefix);
  if (positive.size() <= k) return positive;
  return Successive(prefix, k, stream);
}

}  // namespace tributary
