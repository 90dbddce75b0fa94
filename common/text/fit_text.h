// Texts of others, made printable and cut to a size.
#ifndef TRIBUTARY_COMMON_TEXT_FIT_TEXT_H_
#define TRIBUTARY_COMMON_TEXT_FIT_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "common/text/terminal_text.h"

namespace tributary {

// Returns `text` as one printable line (TerminalLine) of at most `most` bytes;
// the rest is replaced by "...". A character is kept whole or not at all.
// Requires most > 3.
inline std::string FitText(absl::string_view text, size_t most) {
  std::string line = TerminalLine(text);
  if (line.size() <= most) return line;
  size_t end = most - 3;
  while (end > 0 && (line[end] & 0xc0) == 0x80) --end;
  line.resize(end);
  return line + "...";
}

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TEXT_FIT_TEXT_H_
