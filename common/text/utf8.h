// Decodes UTF-8 (RFC 3629).
#ifndef TRIBUTARY_COMMON_TEXT_UTF8_H_
#define TRIBUTARY_COMMON_TEXT_UTF8_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace tributary {

// One decoded character.
struct Utf8Character {
  size_t bytes = 0;   // length of the encoding; 0 if it is not valid UTF-8
  uint32_t code = 0;  // code point
};

// Decodes the first character of `text`, which must not be empty. Accepts only
// the shortest form, no surrogates, and code points up to U+10FFFF.
Utf8Character DecodeUtf8(absl::string_view text);

// Returns whether all of `text` is valid UTF-8.
bool IsUtf8(absl::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TEXT_UTF8_H_
