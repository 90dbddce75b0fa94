// The order of an epoch whose inputs are drawn by weight, any index of it
// without those before.
#ifndef TRIBUTARY_COMMON_RANDOM_WEIGHTED_ORDER_H_
#define TRIBUTARY_COMMON_RANDOM_WEIGHTED_ORDER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/random/philox.h"

namespace tributary {

// Draws with replacement, in proportion: PyTorch's WeightedRandomSampler and
// PyG's ImbalancedSampler. Immutable and thread-safe.
class WeightedOrder {
 public:
  // INVALID_ARGUMENT with what is allowed, for a weight that is negative or not
  // finite, and where all are 0 or there are none.
  static absl::StatusOr<WeightedOrder> Make(absl::Span<const double> weights);

  uint64_t size() const { return sums_.size(); }
  // The input at position `i` of an epoch with this key (docs/sampling.md).
  uint64_t At(PhiloxKey key, uint64_t i) const;

 private:
  explicit WeightedOrder(std::vector<uint64_t> sums) : sums_(std::move(sums)) {}

  std::vector<uint64_t> sums_;  // of integer weights, the input's included
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RANDOM_WEIGHTED_ORDER_H_
