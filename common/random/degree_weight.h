// Integer weights for drawing nodes by degree, the same on every machine.
#ifndef TRIBUTARY_COMMON_RANDOM_DEGREE_WEIGHT_H_
#define TRIBUTARY_COMMON_RANDOM_DEGREE_WEIGHT_H_

#include <cmath>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tributary {

// The exponent 1, in DegreeWeight's units of 2^-16.
inline constexpr uint32_t kWholePower = 65536;
// Degrees must be below this, so that weights, and sums of as many weights as
// there are edges, stay below 2^63.
inline constexpr uint64_t kMaxWeighedEdges = uint64_t{1} << 47;

// Returns the exponent `alpha` in units of 2^-16, rounded to nearest even.
// Requires 0 <= alpha <= 1.
inline uint32_t DegreePower(double alpha) {
  return static_cast<uint32_t>(std::nearbyint(alpha * kWholePower));
}

// Returns degree^(power / 2^16) x 2^16, rounded to nearest even; 0 for degree
// 0. Uses only square roots and products, in this order, because IEEE 754
// rounds them correctly, whereas pow() differs between libraries. Requires
// power of 1 to kWholePower and degree below kMaxWeighedEdges.
inline uint64_t DegreeWeight(uint64_t degree, uint32_t power) {
  if (degree == 0) return 0;
  auto root = static_cast<double>(degree);
  double product = power == kWholePower ? root : 1.0;
  for (uint32_t bit = kWholePower / 2; bit != 0; bit /= 2) {
    root = std::sqrt(root);  // degree^(bit / 2^16)
    if ((power & bit) != 0) product *= root;
  }
  return static_cast<uint64_t>(std::nearbyint(product * 65536.0));
}

// Checks that nodes can be drawn by the degrees of `edge_type`, which has
// `num_edges` edges and stored degrees if `degrees`. INVALID_ARGUMENT names
// `option`, which asks for such draws, and `instead`, the allowed alternative.
absl::Status CheckWeighedDegrees(absl::string_view option,
                                 absl::string_view instead,
                                 absl::string_view edge_type, bool degrees,
                                 int64_t num_edges);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RANDOM_DEGREE_WEIGHT_H_
