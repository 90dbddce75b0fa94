#include "common/text/terminal_text.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/text/utf8.h"

namespace tributary {
namespace {

constexpr int kMaxLines = 3;
// The longest path has 4096 bytes; its beginning and end suffice to recognise
// it.
constexpr size_t kMaxLine = 2000;
constexpr size_t kHead = 1400;
constexpr size_t kTail = 500;

bool IsShown(uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool changes_direction =
      (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  const bool ends_line = code == 0x2028 || code == 0x2029;
  const bool no_width = (code >= 0x200b && code <= 0x200f) || code == 0xfeff;
  return !control && !changes_direction && !ends_line && !no_width;
}

std::string Escape(absl::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Utf8Character c = DecodeUtf8(text);
    const size_t bytes = c.bytes == 0 ? 1 : c.bytes;
    const absl::string_view taken = text.substr(0, bytes);
    const bool shown = c.bytes != 0 && IsShown(c.code);
    absl::StrAppend(&out, shown ? std::string(taken) : absl::CHexEscape(taken));
    text.remove_prefix(bytes);
  }
  return out;
}

bool ContinuesCharacter(char c) { return (c & 0xc0) == 0x80; }

}  // namespace

std::string TerminalLine(absl::string_view text) {
  if (text.size() <= kMaxLine) return Escape(text);
  size_t head = kHead, tail = text.size() - kTail;
  while (head > kHead - 4 && ContinuesCharacter(text[head])) --head;
  while (tail < text.size() - kTail + 4 && ContinuesCharacter(text[tail])) {
    ++tail;
  }
  return absl::StrCat(Escape(text.substr(0, head)), " ... (", tail - head,
                      " bytes left out) ... ", Escape(text.substr(tail)));
}

std::string TerminalError(absl::string_view who, absl::string_view text) {
  std::string out = absl::StrCat(who, ": ");
  int lines = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (++lines > kMaxLines) break;
    absl::StrAppend(&out, TerminalLine(line), "\n");
  }
  return out;
}

}  // namespace tributary
