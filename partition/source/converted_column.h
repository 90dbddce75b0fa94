// Columns of features in a lower precision.
#ifndef TRIBUTARY_PARTITION_SOURCE_CONVERTED_COLUMN_H_
#define TRIBUTARY_PARTITION_SOURCE_CONVERTED_COLUMN_H_

#include "absl/status/status.h"
#include "common/tensor/dtype.h"
#include "partition/source/graph_source.h"

namespace tributary {

// Returns the column in another floating type, rounded to the nearest, ties to
// even: the same bytes as batches in this precision have
// (common/tensor/convert_row.h). Columns of this type, and those that are not
// floating, are returned as they are. `to` is float16 or bfloat16.
ColumnPtr ConvertColumn(ColumnPtr column, DType to);

// Converts the features of all node types and edge types, and notes the node
// types without features and those whose features stay as they are.
void ConvertFeatures(DType to, GraphSource& graph);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SOURCE_CONVERTED_COLUMN_H_
