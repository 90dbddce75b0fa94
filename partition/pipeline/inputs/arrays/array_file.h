// Finds arrays in .npy files and .npz files by the names that users give.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_ARRAYS_ARRAY_FILE_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_ARRAYS_ARRAY_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "partition/source/file_column.h"

namespace tributary {

// Opens "FOLDER/x.npy", or "FOLDER/graph.npz:x" for the member x.npy of an .npz
// file. NOT_FOUND lists the members there are; DATA_LOSS for a damaged file;
// INVALID_ARGUMENT for a compressed one.
absl::StatusOr<FileArray> OpenArray(const std::string& name);

// Returns the names of an .npz file's arrays, without ".npy". Members that are
// no arrays are left out. Errors as OpenArray.
absl::StatusOr<std::vector<std::string>> ListNpzArrays(const std::string& path);

// Returns the column of arrays one after another, as OpenNpyColumn does. An
// array of one row without dimensions counts as one row.
absl::StatusOr<ColumnPtr> OpenArrays(const std::vector<std::string>& names);

// The two ends of edges: int64 [E] each.
struct EndArrays {
  ColumnPtr from, to;
};
// Opens pairs of ids: arrays [2, E], or [E, 2] where the first dimension is not
// 2. INVALID_ARGUMENT, with the shape and what is allowed, for anything else.
absl::StatusOr<EndArrays> OpenPairs(const std::vector<std::string>& names);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_ARRAYS_ARRAY_FILE_H_
