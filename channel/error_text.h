// The text of an error, as messages carry it.
#ifndef TRIBUTARY_CHANNEL_ERROR_TEXT_H_
#define TRIBUTARY_CHANNEL_ERROR_TEXT_H_

#include <string>

#include "absl/status/status.h"

namespace tributary {

// The status's message for a protobuf string, which must be UTF-8, while a
// status may quote anything: its first 4096 bytes, escaped when they are not
// ASCII. So an error's header stays far below the envelope's limit.
std::string ErrorText(const absl::Status& status);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_ERROR_TEXT_H_
