// Text that others chose, as part of a page.
#ifndef TRIBUTARY_COMMON_TEXT_HTML_TEXT_H_
#define TRIBUTARY_COMMON_TEXT_HTML_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tributary {

// Returns `text` for the content of an element, or a value in double quotes, of
// HTML and XML alike: one printable line (TerminalLine) in which & < > " ' are
// references. It can neither end the element nor begin another.
std::string HtmlText(absl::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TEXT_HTML_TEXT_H_
