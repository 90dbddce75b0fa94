// Reads folders of arrays, such as those that a short script writes from PyG's
// Data and HeteroData.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_NPY_FOLDER_NPY_FOLDER_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_NPY_FOLDER_NPY_FOLDER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/layout/graph_layout.h"
#include "partition/pipeline/inputs/options/input_options.h"
#include "partition/source/graph_source.h"
#include "partition/source/spool.h"

namespace tributary {

// Reads what options.layout.config says, or options.folder: a folder of .npy
// and .npz files, or one .npz file, whose arrays have the names of
// docs/data.md. Arrays are read in place. Errors as ReadLayout;
// INVALID_ARGUMENT lists what is allowed where arrays contradict one another.
absl::StatusOr<GraphSource> ReadNpyFolder(const InputOptions& options,
                                          const Spool& spool);

// Returns the layout of a folder or .npz file by the names of its arrays.
// `masks` are names of arrays that are masks of edges.
absl::StatusOr<GraphLayout> ScanArrays(const std::string& path,
                                       const std::vector<std::string>& masks);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_NPY_FOLDER_NPY_FOLDER_H_
