// Splits lines of delimited text into cells.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_ROW_SPLITTER_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_ROW_SPLITTER_H_

#include <deque>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tributary {

// Cells may be quoted as in RFC 4180: "a,b" and "say ""hi""", but end on their
// line. With ' ' as the delimiter any number of blanks and tabs separates
// cells, and those at the ends of a line are dropped. Not thread-safe.
class RowSplitter {
 public:
  explicit RowSplitter(char delimiter) : delimiter_(delimiter) {}

  // Returns the cells, valid until the next call and as long as `line` is. An
  // empty line has one empty cell. INVALID_ARGUMENT, without a place, for a
  // quote that does not end, or is followed by text.
  absl::StatusOr<absl::Span<const absl::string_view>> Split(
      absl::string_view line);
  char delimiter() const { return delimiter_; }

 private:
  absl::Status TakeQuoted(absl::string_view& rest);

  const char delimiter_;
  std::vector<absl::string_view> cells_;
  std::deque<std::string> unquoted_;  // cells with doubled quotes
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_ROW_SPLITTER_H_
