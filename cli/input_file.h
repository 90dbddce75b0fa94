// Lists of input ids in .npy files.
#ifndef TRIBUTARY_CLI_INPUT_FILE_H_
#define TRIBUTARY_CLI_INPUT_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tributary {

// A vector of whole numbers of any width, as numpy.save writes it. Errors name
// the file: NOT_FOUND; DATA_LOSS when it is no .npy or is cut short;
// INVALID_ARGUMENT for another shape or type, or an id above 2^63 - 1.
absl::StatusOr<std::vector<int64_t>> ReadInputFile(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_INPUT_FILE_H_
