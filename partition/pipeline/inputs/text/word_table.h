// Reads small tables of words in CSV files, such as names of types with flags.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_TEXT_WORD_TABLE_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_TEXT_WORD_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tributary {

// A table of cells.
struct WordTable {
  std::string path;
  std::vector<std::vector<std::string>> rows;  // all of equal length

  // Returns INVALID_ARGUMENT "FILE line N: what", where N is the line of
  // rows[row].
  absl::Status ErrorAt(size_t row, absl::string_view what) const;
};

// Reads the table. Cells are separated by commas; there is no quoting.
// INVALID_ARGUMENT for rows of unequal length and for more cells than any list
// of types has; errors of damaged files as LineReader.
absl::StatusOr<WordTable> ReadWordTable(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_TEXT_WORD_TABLE_H_
