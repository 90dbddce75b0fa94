// Small tables of words in CSV files: names of types, and what is said of each.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_WORD_TABLE_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_WORD_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tributary {

struct WordTable {
  std::string path;
  std::vector<std::vector<std::string>> rows;  // of equally many cells

  // INVALID_ARGUMENT: "FILE line N: what", N being the line of rows[row].
  absl::Status ErrorAt(size_t row, absl::string_view what) const;
};

// Cells are what stands between commas; there is no quoting. INVALID_ARGUMENT
// for rows of unequal length and for more cells than any list of types has;
// errors of damaged files as LineReader's.
absl::StatusOr<WordTable> ReadWordTable(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_WORD_TABLE_H_
