// Strict parsing of numbers that users type.
#ifndef TRIBUTARY_COMMON_TEXT_PARSE_NUMBER_H_
#define TRIBUTARY_COMMON_TEXT_PARSE_NUMBER_H_

#include <charconv>
#include <optional>
#include <system_error>

#include "absl/strings/string_view.h"

namespace tributary {

// Returns the value of `text`, all of which must be a decimal number of type T.
// Returns nullopt for an empty text, spaces, a plus sign, another base,
// trailing characters, a minus sign where T is unsigned, or a value out of T's
// range. "010" is ten. A double may still be "nan" or "inf".
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
