// Converts errors to and from the code and text that messages carry.
#ifndef TRIBUTARY_CHANNEL_ERROR_TEXT_H_
#define TRIBUTARY_CHANNEL_ERROR_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace tributary {

// Returns the first 4096 bytes of the status's message, escaped if they are not
// all printable ASCII, in which case they are cut again. A protobuf string must
// be UTF-8, and a line of a log one line, while a status may quote any bytes;
// the limit keeps an error's header far below the envelope's limit.
std::string ErrorText(const absl::Status& status);

// Returns the error that the other end has sent. A code that is not one of
// absl's errors becomes UNKNOWN, and so does OK; `text` is escaped and cut as
// above.
absl::Status ErrorFrom(int32_t code, std::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_ERROR_TEXT_H_
