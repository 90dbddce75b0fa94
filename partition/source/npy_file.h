// Opens .npy files for reading by ranges, without mapping them.
#ifndef TRIBUTARY_PARTITION_SOURCE_NPY_FILE_H_
#define TRIBUTARY_PARTITION_SOURCE_NPY_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "common/tensor/npy.h"
#include "common/tensor/user_npy.h"

namespace tributary {

// Reads the header of a .npy file and checks that the file has all of its
// elements. NOT_FOUND; DATA_LOSS, naming the file, if it is damaged or
// truncated, or what ParseNpyHeader refuses.
absl::StatusOr<NpyHeader> ReadNpyFileHeader(const std::string& path);

// The same for a file of a user's, as ParseUserNpyHeader.
absl::StatusOr<UserNpyHeader> ReadUserNpyFileHeader(const std::string& path);

// The same for an array in `bytes` bytes of a user's file from `offset` on, as
// in a .npz file. The header's data_offset counts from the file's beginning.
absl::StatusOr<UserNpyHeader> ReadUserNpyHeaderAt(const std::string& path,
                                                  uint64_t offset,
                                                  uint64_t bytes);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SOURCE_NPY_FILE_H_
