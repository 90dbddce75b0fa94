#include "common/text/display_width.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/text/utf8.h"

namespace tributary {
namespace {

// The first character that some terminal draws in two columns: Hangul.
constexpr uint32_t kFirstWide = 0x1100;
constexpr absl::string_view kCut = "...";

struct Character {
  size_t bytes = 1;
  size_t columns = 1;
};

Character FirstOf(absl::string_view text) {
  const Utf8Character c = DecodeUtf8(text);
  if (c.bytes == 0) return {};
  return {c.bytes, c.code < kFirstWide ? size_t{1} : size_t{2}};
}

// Returns the bytes of the beginning that takes at most `width` columns.
size_t BytesWithin(absl::string_view line, size_t width) {
  size_t bytes = 0;
  size_t columns = 0;
  while (bytes < line.size()) {
    const Character c = FirstOf(line.substr(bytes));
    if (columns + c.columns > width) break;
    columns += c.columns;
    bytes += c.bytes;
  }
  return bytes;
}

}  // namespace

size_t DisplayWidth(absl::string_view line) {
  size_t columns = 0;
  while (!line.empty()) {
    const Character c = FirstOf(line);
    columns += c.columns;
    line.remove_prefix(c.bytes);
  }
  return columns;
}

std::string CutToWidth(absl::string_view line, size_t width) {
  if (DisplayWidth(line) <= width) return std::string(line);
  const bool says_so = width >= 2 * kCut.size();
  const size_t left = says_so ? width - kCut.size() : width;
  return absl::StrCat(line.substr(0, BytesWithin(line, left)),
                      says_so ? kCut : "");
}

std::string PadToWidth(std::string line, size_t width, bool at_beginning) {
  const size_t used = DisplayWidth(line);
  if (used >= width) return line;
  const std::string spaces(width - used, ' ');
  return at_beginning ? absl::StrCat(spaces, line) : absl::StrCat(line, spaces);
}

std::vector<std::string> WrapToWidth(absl::string_view text, size_t width) {
  std::vector<std::string> lines;
  std::string line;
  const auto end_line = [&] {
    if (!line.empty()) lines.push_back(std::exchange(line, ""));
  };
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    if (DisplayWidth(line) + 1 + DisplayWidth(word) > width) end_line();
    while (DisplayWidth(word) > width) {
      const size_t bytes = std::max<size_t>(1, BytesWithin(word, width));
      lines.emplace_back(word.substr(0, bytes));
      word.remove_prefix(bytes);
    }
    absl::StrAppend(&line, line.empty() ? "" : " ", word);
  }
  end_line();
  return lines;
}

}  // namespace tributary
