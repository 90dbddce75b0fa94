// Opens .npy files for reading by ranges, without mapping them.
#ifndef TRIBUTARY_PARTITION_SOURCE_NPY_FILE_H_
#define TRIBUTARY_PARTITION_SOURCE_NPY_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "common/tensor/npy.h"

namespace tributary {

// Reads the header of a .npy file and checks that the file has all of its
// elements. NOT_FOUND; DATA_LOSS, naming the file, if it is damaged or
// truncated, or what ParseNpyHeader refuses.
absl::StatusOr<NpyHeader> ReadNpyFileHeader(const std::string& path);

// Like ReadNpyFileHeader for an array in `bytes` bytes of the file from
// `offset` on, as in a .npz file. The header's data_offset counts from the
// file's beginning.
absl::StatusOr<NpyHeader> ReadNpyHeaderAt(const std::string& path,
                                          uint64_t offset, uint64_t bytes);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SOURCE_NPY_FILE_H_
