// Columns of a graph from arrays in files, with the shapes that users give
// them.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_BINARY_ARRAY_COLUMNS_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_BINARY_ARRAY_COLUMNS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "partition/source/file_column.h"

namespace tributary {

// All functions check that there are `rows` rows. INVALID_ARGUMENT, with `what`
// the array is, its shape or type and what is allowed. Elements stay as they
// are stored, where nothing else is said.

// [rows, dim], or [rows] as one column.
absl::StatusOr<ColumnPtr> OpenFeatureArray(FileArray array, int64_t rows,
                                           const std::string& what);
// [rows, columns]; [rows] and [rows, 1] have dim 0.
absl::StatusOr<ColumnPtr> OpenLabelArray(FileArray array, int64_t rows,
                                         const std::string& what);
// One whole number a row, as int64.
absl::StatusOr<ColumnPtr> OpenTimeArray(FileArray array, int64_t rows,
                                        const std::string& what);
// One float32 or float64 a row.
absl::StatusOr<ColumnPtr> OpenWeightArray(FileArray array, int64_t rows,
                                          const std::string& what);
// One bool, or 0 or 1 of another type, a row.
absl::StatusOr<ColumnPtr> OpenMaskArray(FileArray array, int64_t rows,
                                        const std::string& what);

// The ends of edges: int64, dim 0.
struct EndColumnPair {
  ColumnPtr from, to;
};
// [2, edges] of whole numbers: sources, then destinations.
absl::StatusOr<EndColumnPair> OpenEdgeIndex(const FileArray& array,
                                            int64_t edges,
                                            const std::string& what);

// Reads [1], a number of nodes or edges, of which there are as many as a graph
// may have.
absl::StatusOr<int64_t> ReadCountArray(const FileArray& array,
                                       const std::string& what);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_BINARY_ARRAY_COLUMNS_H_
