// Which features a session's batches have.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_COLLECTED_FEATURES_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_COLLECTED_FEATURES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "partition/schema/schema.h"

namespace tributary {

namespace v1 {
class SessionSpec;
}

// Bytes that a node of the type has in a batch, x and y together, and an edge.
uint64_t NodeRowBytes(const NodeTypeSchema& type, const v1::SessionSpec& spec);
uint64_t EdgeRowBytes(const EdgeTypeSchema& type, const v1::SessionSpec& spec);

// At most, of what comes beside rows in a batch, whatever they are: entries and
// padding of the tensors of their scales.
uint64_t ScaleTensorBytes(const GraphSchema& schema,
                          const v1::SessionSpec& spec);

// INVALID_ARGUMENT when feature_dtype is for floating features and no type that
// is sampled has any.
absl::Status CheckCollectedFeatures(const GraphSchema& schema,
                                    const v1::SessionSpec& spec);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_COLLECTED_FEATURES_H_
