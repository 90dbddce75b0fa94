// Draws in proportion to edge weights, exact to docs/sampling.md: pure
// functions on one node's weights.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_WEIGHTED_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_WEIGHTED_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/session/philox.h"

namespace tributary {

// The integer weights of a node's in-edges of one type: max(1, rint(w / w_max *
// 4294967295)) in float64, ties to even; 0 and -0 stay 0. INVALID_ARGUMENT,
// with the position, for a negative or non-finite weight.
absl::StatusOr<std::vector<uint32_t>> IntegerWeights(
    absl::Span<const double> weights);

// prefix[i] = sum of the weights before i; one entry more than weights.
std::vector<uint64_t> PrefixSums(absl::Span<const uint32_t> weights);

// Positions drawn, ascending. `prefix` as PrefixSums makes it; fanout >= -1.
// Without replacement: successive sampling, each draw in proportion to the
// weights not yet drawn, by stepping over the drawn intervals; O(k^2 + k log
// d). A position of weight 0 is never drawn.
std::vector<uint64_t> DrawWeighted(absl::Span<const uint64_t> prefix,
                                   int32_t fanout, bool replace,
                                   PhiloxStream stream);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_WEIGHTED_H_
