// Errors about options of a specification.
#ifndef TRIBUTARY_COMMON_SESSION_REFUSE_H_
#define TRIBUTARY_COMMON_SESSION_REFUSE_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tributary {

// Returns INVALID_ARGUMENT with the parts joined: the option, its value and
// what is allowed.
//
//   return Refuse("num_neighbors: ", hops, " hops; allowed: 1 to ", kMaxHops);
template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_REFUSE_H_
