// Lists of inputs in .npy files.
#ifndef TRIBUTARY_CLI_INPUTS_INPUT_FILE_H_
#define TRIBUTARY_CLI_INPUTS_INPUT_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tributary {

// A vector of whole numbers of any width, as numpy.save writes it. Errors name
// the file: NOT_FOUND; DATA_LOSS when it is no .npy or is cut short;
// INVALID_ARGUMENT for another shape or type, or an id above 2^63 - 1.
absl::StatusOr<std::vector<int64_t>> ReadInputFile(const std::string& path);

// Ids as above, or a mask: numpy's bool, for each node whether it is an input.
struct InputList {
  std::vector<int64_t> ids;
  std::vector<bool> mask;  // empty: ids
};
absl::StatusOr<InputList> ReadInputListFile(const std::string& path);

// A vector of float32 or float64, as double. Errors as above.
absl::StatusOr<std::vector<double>> ReadWeightFile(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_INPUTS_INPUT_FILE_H_
