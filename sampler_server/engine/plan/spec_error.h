// The error for a session specification that is not valid.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_PLAN_SPEC_ERROR_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_PLAN_SPEC_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tributary {

// Returns INVALID_ARGUMENT, "session specification: FIELD: PARTS". The parts
// end with what is allowed.
template <typename... Parts>
absl::Status SpecError(absl::string_view field, const Parts&... parts) {
  return absl::InvalidArgumentError(
      absl::StrCat("session specification: ", field, ": ", parts...));
}

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_PLAN_SPEC_ERROR_H_
