// Words that are not ours, as they may go to a terminal or a log.
#ifndef TRIBUTARY_COMMON_TEXT_TERMINAL_TEXT_H_
#define TRIBUTARY_COMMON_TEXT_TERMINAL_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tributary {

// `text` on one line: UTF-8 stays, but control characters (C0, C1, DEL), marks
// without width or that turn the direction of writing, and bytes that are no
// UTF-8 become \n, \x1b, \xc2\x9b. Of more than 2000 bytes the middle is left
// out, and says so.
std::string TerminalLine(absl::string_view text);

// An error as a program says it on stderr: "WHO: text\n". A '\n' in `text`
// begins a new line; each by TerminalLine, at most three.
std::string TerminalError(absl::string_view who, absl::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TEXT_TERMINAL_TEXT_H_
