// The order of an epoch whose inputs are drawn by weight, with random access.
#ifndef TRIBUTARY_COMMON_RANDOM_WEIGHTED_ORDER_H_
#define TRIBUTARY_COMMON_RANDOM_WEIGHTED_ORDER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/random/philox.h"

namespace tributary {

// Draws inputs with replacement, in proportion to their weights, like PyTorch's
// WeightedRandomSampler and PyG's ImbalancedSampler. Immutable and thread-safe.
class WeightedOrder {
 public:
  // Makes the order of inputs with these weights. INVALID_ARGUMENT, with what
  // is allowed, if a weight is negative or not finite, all are 0, or there are
  // none.
  static absl::StatusOr<WeightedOrder> Make(absl::Span<const double> weights);

  uint64_t size() const { return sums_.size(); }
  // Returns the input at position `i` of the epoch with this key, as
  // docs/sampling.md defines.
  uint64_t At(PhiloxKey key, uint64_t i) const;

 private:
  explicit WeightedOrder(std::vector<uint64_t> sums) : sums_(std::move(sums)) {}

  std::vector<uint64_t>
      sums_;  // of integer weights up to and including each input
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RANDOM_WEIGHTED_ORDER_H_
