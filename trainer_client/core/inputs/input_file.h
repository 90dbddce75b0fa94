// Reads lists of inputs from .npy files.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_INPUTS_INPUT_FILE_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_INPUTS_INPUT_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tributary {

// Read a vector, [n] or [n, 1], as numpy.save writes it, of what IdsOf, TimesOf
// and WeightsOf (npy_vector.h) take. Errors name the file: NOT_FOUND; DATA_LOSS
// if it is not an .npy file or is truncated; INVALID_ARGUMENT for another
// shape, type or value.
absl::StatusOr<std::vector<int64_t>> ReadInputFile(const std::string& path);
absl::StatusOr<std::vector<int64_t>> ReadTimeFile(const std::string& path);
absl::StatusOr<std::vector<double>> ReadWeightFile(const std::string& path);

// Ids, or a mask: for each node whether it is an input. A mask is of numpy's
// bool type, or whole numbers 0 and 1, so many of them that ids would repeat.
struct InputList {
  std::vector<int64_t> ids;
  std::vector<bool> mask;  // empty: the file has ids
};
// Reads ids or a mask. Errors as above; INVALID_ARGUMENT, saying what decides,
// for one or two bytes 0 and 1, which may be either.
absl::StatusOr<InputList> ReadInputListFile(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_INPUTS_INPUT_FILE_H_
