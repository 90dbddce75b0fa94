// UTF-8 (RFC 3629).
#ifndef TRIBUTARY_COMMON_TEXT_UTF8_H_
#define TRIBUTARY_COMMON_TEXT_UTF8_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace tributary {

struct Utf8Character {
  size_t bytes = 0;  // 0: no UTF-8
  uint32_t code = 0;
};

// The character at the front of `text`, which is not empty: shortest form only,
// no surrogates, up to U+10FFFF.
Utf8Character DecodeUtf8(absl::string_view text);

bool IsUtf8(absl::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TEXT_UTF8_H_
