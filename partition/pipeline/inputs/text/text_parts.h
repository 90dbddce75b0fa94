// Says before text files are parsed how much there is to parse, and how much
// their columns take at least.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_TEXT_TEXT_PARTS_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_TEXT_TEXT_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "partition/source/spool.h"

namespace tributary {

// The bytes of a text file, plain or gzip, as far as its size tells.
struct TextSize {
  int64_t file_bytes = 0;
  // Of the text: those of the file or, of a gzip file, twice as many, since a
  // decimal digit takes less than half a byte in it, ...
  uint64_t least_bytes = 0;
  // ... and 1032 times as many, which is deflate's best (RFC 1951).
  uint64_t most_bytes = 0;
};

// Measures a file. Returns zeros for what cannot be opened: whoever reads it
// says why.
TextSize MeasureText(const std::string& path);

// Returns the parts, one for each file, of a table without a header that has
// `rows` rows in all. Each cell becomes `cell_bytes` bytes of a column; the
// first line tells how many cells a row has. Of more rows than the files can
// hold, those are counted that they can hold.
std::vector<ParsedPart> TextParts(absl::Span<const std::string> paths,
                                  int64_t rows, size_t cell_bytes,
                                  char delimiter = ',');

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_TEXT_TEXT_PARTS_H_
