// Reads a user's own negatives from files.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_INPUTS_NEGATIVE_FILE_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_INPUTS_NEGATIVE_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tributary {

// The negatives of a list of links.
struct NegativeList {
  uint64_t each = 0;                 // negatives per link; not 0
  std::vector<int64_t> destination;  // [links x each]
};

// Reads one line per link, with the ids of its negatives: "7,0,12". Every line
// must have the same number. Or reads a .npy file of whole numbers, [links,
// each]. Errors name file and line: NOT_FOUND;
// INVALID_ARGUMENT for another number of columns, a cell that is not a number,
// or an empty file.
absl::StatusOr<NegativeList> ReadNegativeFile(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_INPUTS_NEGATIVE_FILE_H_
