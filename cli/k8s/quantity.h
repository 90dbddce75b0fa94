// Quantities as Kubernetes writes them.
#ifndef TRIBUTARY_CLI_K8S_QUANTITY_H_
#define TRIBUTARY_CLI_K8S_QUANTITY_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace tributary {

// Returns the bytes of "4Gi", "512Mi", "1.5G" or "4096", at most 2^62; nothing
// for anything else. Ki, Mi, Gi, Ti are powers of 1024; k, M, G, T of 1000.
std::optional<uint64_t> BytesOfQuantity(absl::string_view text);

// Returns the whole cores that a request of CPU such as "2", "0.5" or "1500m"
// rounds up to, from 1 to 1024; nothing for anything else.
std::optional<uint32_t> CoresOfQuantity(absl::string_view text);

// Returns at least `bytes` in whole Gi.
std::string GibibytesFor(uint64_t bytes);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_K8S_QUANTITY_H_
