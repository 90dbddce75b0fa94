// Narrows a query of Prometheus to some servers.
#ifndef TRIBUTARY_CLI_K8S_PROMETHEUS_QUERY_H_
#define TRIBUTARY_CLI_K8S_PROMETHEUS_QUERY_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tributary {

// Returns `query` with `value` in every matcher LABEL="..." of its selectors.
// Texts in quotes are passed over, so nothing else is touched. `value` has no
// quotes, backslashes or newlines. INVALID_ARGUMENT if no selector has such a
// matcher, or a quote is left open.
absl::StatusOr<std::string> SetMatchers(absl::string_view query,
                                        absl::string_view label,
                                        absl::string_view value);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_K8S_PROMETHEUS_QUERY_H_
