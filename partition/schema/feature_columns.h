// The stored columns that batches hold, and the precision of features in them.
#ifndef TRIBUTARY_PARTITION_SCHEMA_FEATURE_COLUMNS_H_
#define TRIBUTARY_PARTITION_SCHEMA_FEATURE_COLUMNS_H_

#include <cstddef>
#include <optional>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/session/collected_columns.h"
#include "common/session/feature_dtype.h"
#include "partition/schema/schema.h"

namespace tributary {

// Returns the column as it is in a batch: its type may change, its shape does
// not. Scales are tensors of their own there.
inline ColumnSchema InBatch(const ColumnSchema& stored, FeatureDType asked) {
  return {DTypeInBatch(stored.value_dtype(), asked), stored.dim};
}

// Returns whether a batch holds a float32 scale per row of the column.
inline bool HasScale(const ColumnSchema& stored, FeatureDType asked) {
  return HasScale(stored.value_dtype(), asked);
}

// Returns the bytes of a row in a batch, including its scale; 0 if there is no
// column.
size_t FeatureRowBytes(const std::optional<ColumnSchema>& stored,
                       FeatureDType asked);

// Returns the bytes that x, y and time of a node take in a batch, those that
// are both stored and in `collect`.
size_t CollectedRowBytes(const NodeTypeSchema& type,
                         const CollectedColumns& collect, FeatureDType asked);

// Returns whether servers leave rows of the type out that a trainer holds
// (docs/trainer-cache.md): batches have no times of them, which trainers do not
// hold, and 16 bytes at least.
bool MayLeaveOutRows(const NodeTypeSchema& type,
                     const CollectedColumns& collect, FeatureDType asked);

// Checks the precision `asked` of a session that collects features of these
// types. INVALID_ARGUMENT, naming what is stored, if it would have no effect
// because no column of x or edge_attr holds floating-point numbers.
absl::Status CheckFeatureDType(const GraphSchema& schema,
                               absl::Span<const int> node_types,
                               absl::Span<const int> edge_types,
                               FeatureDType asked);

// Checks that the columns `collect` which are not optional (time, weight,
// seed_time) are stored: times with one of these node types at least, weights
// with one of these edge types, and, for seed_time, `seed_times`.
// INVALID_ARGUMENT names the column and what to do.
absl::Status CheckColumnsStored(const GraphSchema& schema,
                                absl::Span<const int> node_types,
                                absl::Span<const int> edge_types,
                                bool seed_times,
                                const CollectedColumns& collect);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SCHEMA_FEATURE_COLUMNS_H_
