// The inputs of a session, as its user gives them.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_INPUT_LIST_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_INPUT_LIST_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/hash/sha256.h"
#include "common/random/weighted_order.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/session/loader_options.h"

namespace tributary {

// INVALID_ARGUMENT unless the options give node inputs in exactly one way.
absl::Status CheckInputList(const NeighborLoaderOptions& options);

// The original ids that options without a split stand for. INVALID_ARGUMENT
// for a mask that is not as long as there are nodes, and for no input.
absl::StatusOr<std::vector<int64_t>> InputIdsOf(
    const NeighborLoaderOptions& options, const NodeTypeSchema& type);

// Null without input_weight. INVALID_ARGUMENT for weights that are not one for
// each of `num_inputs`, bad or beside another order.
absl::StatusOr<std::shared_ptr<const WeightedOrder>> WeightedOrderOf(
    const NeighborLoaderOptions& options, uint64_t num_inputs);

// The digest of inputs with their weights, which may be none.
Sha256Digest WithWeights(const Sha256Digest& inputs,
                         const std::vector<double>& weights);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_INPUT_LIST_H_
