// The text of an error without the program that ends with it.
#ifndef TRIBUTARY_CLI_COMMAND_ERROR_MESSAGE_H_
#define TRIBUTARY_CLI_COMMAND_ERROR_MESSAGE_H_

#include <string>

#include "absl/status/status.h"

namespace tributary {

// Returns what ErrorText() prints after the program's name, not sanitised: the
// message, with the name of the status code except for usage errors.
std::string ErrorMessage(const absl::Status& status);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_COMMAND_ERROR_MESSAGE_H_
