#include "partition/pipeline/inputs/tables/row_splitter.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::string_view SkipBlanks(absl::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

absl::string_view TrimBlanks(absl::string_view text) {
  text = SkipBlanks(text);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

}  // namespace

absl::StatusOr<absl::Span<const absl::string_view>> RowSplitter::Split(
    absl::string_view line) {
  cells_.clear();
  unquoted_.clear();
  const bool blanks = delimiter_ == ' ';
  absl::string_view rest = blanks ? TrimBlanks(line) : line;
  while (true) {
    if (!rest.empty() && rest[0] == '"') {
      RETURN_IF_ERROR(TakeQuoted(rest));
    } else {
      const size_t end =
          std::min(blanks ? rest.find_first_of(" \t") : rest.find(delimiter_),
                   rest.size());
      cells_.push_back(rest.substr(0, end));
      rest.remove_prefix(end);
    }
    if (rest.empty()) return cells_;
    rest = blanks ? SkipBlanks(rest) : rest.substr(1);  // the delimiter
  }
}

// Leaves `rest` empty or at a delimiter.
absl::Status RowSplitter::TakeQuoted(absl::string_view& rest) {
  const absl::string_view text = rest.substr(1);
  size_t end = text.find('"');
  bool doubled = false;
  while (end != absl::string_view::npos && end + 1 < text.size() &&
         text[end + 1] == '"') {
    doubled = true;
    end = text.find('"', end + 2);
  }
  if (end == absl::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrCat(
        "cell ", cells_.size(),
        " has a quote that does not end on its line; allowed: quoted cells "
        "of one line"));
  }
  absl::string_view cell = text.substr(0, end);
  rest = text.substr(end + 1);
  const bool blank = delimiter_ == ' ' && !rest.empty() && rest[0] == '\t';
  if (!rest.empty() && rest[0] != delimiter_ && !blank) {
    return absl::InvalidArgumentError(
        absl::StrCat("cell ", cells_.size(), " has text after its quote"));
  }
  if (doubled) {
    std::string plain;
    for (size_t i = 0; i < cell.size(); ++i) {
      plain.push_back(cell[i]);
      if (cell[i] == '"') ++i;
    }
    unquoted_.push_back(std::move(plain));
    cell = unquoted_.back();
  }
  cells_.push_back(cell);
  return absl::OkStatus();
}

}  // namespace tributary
