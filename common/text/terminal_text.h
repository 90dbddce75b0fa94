// Sanitises untrusted text for terminals and logs.
#ifndef TRIBUTARY_COMMON_TEXT_TERMINAL_TEXT_H_
#define TRIBUTARY_COMMON_TEXT_TERMINAL_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tributary {

// Returns `text` as one printable line. Valid UTF-8 is kept; control characters
// (C0, C1, DEL), line separators, zero-width characters, characters that change
// the writing direction, and bytes that are not UTF-8 are escaped as \n, \x1b,
// \xc2\x9b. If `text` has more than 2000 bytes, its middle is replaced by a
// note of how many bytes are left out.
std::string TerminalLine(absl::string_view text);

// Returns an error message for stderr, "WHO: text\n". Each '\n' in `text`
// begins a new line, each sanitised by TerminalLine; at most three lines are
// kept.
std::string TerminalError(absl::string_view who, absl::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TEXT_TERMINAL_TEXT_H_
