// Takes words off the lines of DGL's text files.
#ifndef TRIBUTARY_PARTITION_PIPELINE_MPI_DGL_LINE_H_
#define TRIBUTARY_PARTITION_PIPELINE_MPI_DGL_LINE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace tributary {

// Takes the next word, between blanks and tabs, off `line`; empty at the end.
absl::string_view NextWord(absl::string_view& line);

// Takes a word off `line`; nullopt unless it is a number in [min, max].
std::optional<int64_t> NextNumber(absl::string_view& line, int64_t min,
                                  int64_t max);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_MPI_DGL_LINE_H_
