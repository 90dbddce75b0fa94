// Columns of a graph from arrays in files, with the shapes that users give
// them.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_BINARY_ARRAY_COLUMNS_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_BINARY_ARRAY_COLUMNS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "partition/source/file_column.h"

namespace tributary {

// All functions check that there are `rows` rows, [rows] or [rows, dim].
// INVALID_ARGUMENT, with `what` the array is, its shape or type and what is
// allowed. What is stored of the values, AsFeatures, AsLabels, AsTimes,
// AsWeights and AsMask say (value_columns.h).
absl::StatusOr<ColumnPtr> OpenFeatureArray(const FileArray& array, int64_t rows,
                                           const std::string& what);
absl::StatusOr<ColumnPtr> OpenLabelArray(const FileArray& array, int64_t rows,
                                         const std::string& what);
absl::StatusOr<ColumnPtr> OpenTimeArray(const FileArray& array, int64_t rows,
                                        const std::string& what);
absl::StatusOr<ColumnPtr> OpenWeightArray(const FileArray& array, int64_t rows,
                                          const std::string& what);
absl::StatusOr<ColumnPtr> OpenMaskArray(const FileArray& array, int64_t rows,
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
