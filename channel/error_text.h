// Converts errors to and from the code and text that messages carry.
#ifndef TRIBUTARY_CHANNEL_ERROR_TEXT_H_
#define TRIBUTARY_CHANNEL_ERROR_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace tributary {

// Returns the first 4096 bytes of the status's message, escaped if they are not
// ASCII. A protobuf string must be UTF-8, while a status may quote any bytes;
// and the limit keeps an error's header far below the envelope's limit.
std::string ErrorText(const absl::Status& status);

// Returns the error that the other end has sent. A code that is not one of
// absl's errors becomes UNKNOWN, and so does OK; `text` is cut as above.
absl::Status ErrorFrom(int32_t code, std::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_ERROR_TEXT_H_
