// Columns of features in a lower precision.
#ifndef TRIBUTARY_PARTITION_SOURCE_CONVERTED_COLUMN_H_
#define TRIBUTARY_PARTITION_SOURCE_CONVERTED_COLUMN_H_

#include "absl/status/status.h"
#include "common/tensor/dtype.h"
#include "partition/source/graph_source.h"

namespace tributary {

// Returns the column in another type, the same bytes as batches in this
// precision have (common/tensor/convert_row.h): float16 or bfloat16, rounded to
// the nearest, ties to even; or scaled rows of int8
// (common/tensor/scaled_row.h). Columns of this type, and those that are not
// floating, are returned as they are.
ColumnPtr ConvertColumn(ColumnPtr column, DType to);

// Converts the features of all node types and edge types, and notes those that
// stay as they are and those that grow. Types without features stay without.
// INVALID_ARGUMENT, naming the type, if features that are no floating-point
// numbers are to become int8: they have no use for scales.
absl::Status ConvertFeatures(DType to, GraphSource& graph);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SOURCE_CONVERTED_COLUMN_H_
