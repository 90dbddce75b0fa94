// Lists of node inputs and weights, as a user gives them.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_INPUT_LIST_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_INPUT_LIST_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/hash/sha256.h"
#include "common/random/weighted_order.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/kinds/loader_options.h"

namespace tributary {

// Returns INVALID_ARGUMENT unless the options give node inputs in exactly one
// way.
absl::Status CheckInputList(const CommonLoaderOptions& options);

// Returns the original ids of the inputs, which are not those of a split.
// INVALID_ARGUMENT for a mask whose length is not the number of nodes of the
// type, and for no input.
absl::StatusOr<std::vector<int64_t>> InputIdsOf(
    const CommonLoaderOptions& options, const NodeTypeSchema& type);

// Returns the order by input_weight, or null without weights. INVALID_ARGUMENT
// if there are not `num_inputs` weights, for one that is negative or not
// finite, and for a shuffle other than kGlobal.
absl::StatusOr<std::shared_ptr<const WeightedOrder>> WeightedOrderOf(
    const CommonLoaderOptions& options, uint64_t num_inputs);

// Returns the digest of inputs with weights: `inputs` itself without any.
Sha256Digest WithWeights(const Sha256Digest& inputs,
                         const std::vector<double>& weights);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_INPUT_LIST_H_
