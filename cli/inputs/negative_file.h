// Lists of a user's own negatives in text files.
#ifndef TRIBUTARY_CLI_INPUTS_NEGATIVE_FILE_H_
#define TRIBUTARY_CLI_INPUTS_NEGATIVE_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tributary {

struct NegativeList {
  uint64_t each = 0;                 // negatives of a link; not 0
  std::vector<int64_t> destination;  // [links x each]
};

// A line for each link: its negatives' ids, "7,0,12", as many in every line.
// Errors name file and line: NOT_FOUND; INVALID_ARGUMENT for another number of
// columns, for what is no number, for an empty file.
absl::StatusOr<NegativeList> ReadNegativeFile(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_INPUTS_NEGATIVE_FILE_H_
