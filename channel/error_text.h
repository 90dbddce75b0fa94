// An error as messages carry it: a code and a text.
#ifndef TRIBUTARY_CHANNEL_ERROR_TEXT_H_
#define TRIBUTARY_CHANNEL_ERROR_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace tributary {

// The status's message for a protobuf string, which must be UTF-8, while a
// status may quote anything: its first 4096 bytes, escaped when they are not
// ASCII. So an error's header stays far below the envelope's limit.
std::string ErrorText(const absl::Status& status);

// The error that the other end means. A code that is none of absl's, and OK,
// becomes UNKNOWN; `text` is cut as above.
absl::Status ErrorFrom(int32_t code, std::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_ERROR_TEXT_H_
