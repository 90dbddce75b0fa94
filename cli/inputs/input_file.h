// Reads lists of inputs from .npy files.
#ifndef TRIBUTARY_CLI_INPUTS_INPUT_FILE_H_
#define TRIBUTARY_CLI_INPUTS_INPUT_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tributary {

// Reads a vector of integers of any width, as numpy.save writes it. Errors name
// the file: NOT_FOUND; DATA_LOSS if it is not an .npy file or is truncated;
// INVALID_ARGUMENT for another shape or type, or an id above 2^63 - 1.
absl::StatusOr<std::vector<int64_t>> ReadInputFile(const std::string& path);

// Ids, or a mask of numpy's bool type: for each node whether it is an input.
struct InputList {
  std::vector<int64_t> ids;
  std::vector<bool> mask;  // empty: the file has ids
};
// Reads ids or a mask. Errors as above.
absl::StatusOr<InputList> ReadInputListFile(const std::string& path);

// Reads a vector of float32 or float64. Errors as above.
absl::StatusOr<std::vector<double>> ReadWeightFile(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_INPUTS_INPUT_FILE_H_
