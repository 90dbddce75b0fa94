// Errors in a loader's options.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_OPTION_ERROR_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_OPTION_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tributary {

// INVALID_ARGUMENT: "FIELD is VALUE; allowed: ...".
absl::Status BadLoaderOption(absl::string_view field, absl::string_view value,
                             absl::string_view allowed);

// BadLoaderOption unless `name` is UTF-8: names travel in protobuf strings.
absl::Status CheckUtf8(absl::string_view field, absl::string_view name);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_OPTION_ERROR_H_
