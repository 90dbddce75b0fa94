// Numbers as users type them, read strictly.
#ifndef TRIBUTARY_COMMON_TEXT_PARSE_NUMBER_H_
#define TRIBUTARY_COMMON_TEXT_PARSE_NUMBER_H_

#include <charconv>
#include <optional>
#include <system_error>

#include "absl/strings/string_view.h"

namespace tributary {

// The whole of `text` as a decimal number. None for an empty text, spaces, a
// plus sign, another base, trailing characters, a minus sign where T has none,
// or more than T holds; 010 is ten. A double may still be "nan" or "inf".
template <typename T>
std::optional<T> ParseNumber(absl::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TEXT_PARSE_NUMBER_H_
