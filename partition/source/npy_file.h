// Opens .npy files for reading by ranges, without mapping them.
#ifndef TRIBUTARY_PARTITION_SOURCE_NPY_FILE_H_
#define TRIBUTARY_PARTITION_SOURCE_NPY_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/tensor/npy.h"

namespace tributary {

// Reads the header of a .npy file and checks that the file has all of its
// elements. NOT_FOUND; DATA_LOSS, naming the file, if it is damaged or
// truncated, or what ParseNpyHeader refuses.
absl::StatusOr<NpyHeader> ReadNpyFileHeader(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SOURCE_NPY_FILE_H_
