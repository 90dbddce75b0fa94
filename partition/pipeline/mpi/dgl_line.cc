#include "partition/pipeline/mpi/dgl_line.h"

#include "common/text/parse_number.h"

namespace tributary {

absl::string_view NextWord(absl::string_view& line) {
  const size_t begin = line.find_first_not_of(" \t");
  if (begin == absl::string_view::npos) return line = absl::string_view();
  line.remove_prefix(begin);
  const absl::string_view word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

std::optional<int64_t> NextNumber(absl::string_view& line, int64_t min,
                                  int64_t max) {
  const absl::string_view word = NextWord(line);
  const auto value = ParseNumber<int64_t>(word);
  if (!value.has_value() || *value < min || *value > max) return std::nullopt;
  return value;
}

}  // namespace tributary
