// Reads where a row's edges begin and end.
#ifndef TRIBUTARY_PARTITION_FORMAT_ROW_ENDS_H_
#define TRIBUTARY_PARTITION_FORMAT_ROW_ENDS_H_

#include <cstdint>

#include "absl/types/span.h"

namespace tributary {

// The edges [begin, end) of a row, among those of its partition.
struct RowEnds {
  uint64_t begin = 0;
  uint64_t end = 0;

  // Returns whether all of them are among `num_edges`.
  bool IsWithin(uint64_t num_edges) const {
    return begin <= end && end <= num_edges;
  }
};

// Returns the ends of `row`, each read once: what is checked is what is used,
// even if the file is lost meanwhile and its bytes become zeros
// (mapping_guard.h). Requires row + 1 < indptr.size().
inline RowEnds ReadRowEnds(absl::Span<const uint64_t> indptr, uint64_t row) {
  const uint64_t* const at = indptr.data() + row;
  uint64_t begin = at[0], end = at[1];
  // The compiler must take them for new values, and not read them again.
  asm("" : "+r"(begin), "+r"(end));
  return {begin, end};
}

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_ROW_ENDS_H_
