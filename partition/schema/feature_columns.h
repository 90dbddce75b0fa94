// Features as batches have them, of a session that asks for a precision.
#ifndef TRIBUTARY_PARTITION_SCHEMA_FEATURE_COLUMNS_H_
#define TRIBUTARY_PARTITION_SCHEMA_FEATURE_COLUMNS_H_

#include <cstddef>
#include <optional>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/session/feature_dtype.h"
#include "partition/schema/schema.h"

namespace tributary {

// A column of x or edge_attr as a batch has it.
inline ColumnSchema InBatch(const ColumnSchema& stored, FeatureDType asked) {
  return {DTypeInBatch(stored.dtype, asked), stored.dim};
}

// Bytes of a row in the batch, its scale with it; 0 where there is no column.
size_t FeatureRowBytes(const std::optional<ColumnSchema>& stored,
                       FeatureDType asked);

// Of a session that collects features of these types. INVALID_ARGUMENT, naming
// what is stored, when there is nothing that `asked` could be for: no column of
// x or edge_attr holds floating numbers.
absl::Status CheckFeatureDType(const GraphSchema& schema,
                               absl::Span<const int> node_types,
                               absl::Span<const int> edge_types,
                               FeatureDType asked);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SCHEMA_FEATURE_COLUMNS_H_
