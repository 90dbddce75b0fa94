// Converts the values that users have in arrays and Parquet to those that
// graphs store: the rules of docs/data.md, for all readers.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_ARRAYS_VALUE_COLUMNS_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_ARRAYS_VALUE_COLUMNS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/source/graph_source.h"

namespace tributary {

// All functions take a column as it is in the user's files, called `what` in
// messages, and change no value: reading is INVALID_ARGUMENT, with the row, for
// one that the stored type cannot hold, and so is a type or width that is not
// allowed.

// Returns features, [rows, dim] of any type; one value a row is [rows, 1].
ColumnPtr AsFeatures(ColumnPtr column);
// Returns labels, [rows, dim] of any type; one value a row is [rows], whether
// it was [rows] or [rows, 1].
ColumnPtr AsLabels(ColumnPtr column);
// Returns times: int64 of whole numbers of any type, floats too.
absl::StatusOr<ColumnPtr> AsTimes(ColumnPtr column, const std::string& what);
// Returns weights: float32 and float64 as they are, types of up to 16 bits as
// float32, others as float64.
absl::StatusOr<ColumnPtr> AsWeights(ColumnPtr column, const std::string& what);
// Returns a mask: bool of 0 and 1 of any type.
absl::StatusOr<ColumnPtr> AsMask(ColumnPtr column, const std::string& what);

// What an array that is a mask or a list of numbers is called for.
enum class ListUse {
  kMaskByName,  // "train_mask": a mask if it may be one
  kListByName,  // "train_idx": never a mask
  kEither,
};
// Returns whether `numbers`, whole ones that a user gives as a split of
// `num_rows` nodes or edges, are a mask, not a list of these rows: 0 and 1
// alone, as many as there are rows. INVALID_ARGUMENT, beginning with `what`
// they are and saying what decides, for what may be both, for a mask of another
// length, and for one that is called a list.
absl::StatusOr<bool> AreMaskOf(int64_t num_rows,
                               const std::vector<int64_t>& numbers, ListUse use,
                               const std::string& what);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_ARRAYS_VALUE_COLUMNS_H_
