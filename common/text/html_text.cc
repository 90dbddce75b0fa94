#include "common/text/html_text.h"

#include "absl/strings/str_replace.h"
#include "common/text/terminal_text.h"

namespace tributary {

std::string HtmlText(absl::string_view text) {
  return absl::StrReplaceAll(
      TerminalLine(text), {{"&", "&amp;"},
                           {"<", "&lt;"},
                           {">", "&gt;"},
                           {"\"", "&quot;"},
                           {"'", "&#39;"},
                           // No characters: XML refuses them (U+FFFE, U+FFFF).
                           {"\xef\xbf\xbe", "\\xef\\xbf\\xbe"},
                           {"\xef\xbf\xbf", "\\xef\\xbf\\xbf"}});
}

}  // namespace tributary
