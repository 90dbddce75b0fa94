// Parses sizes in bytes as users type them.
#ifndef TRIBUTARY_COMMON_TEXT_PARSE_BYTE_SIZE_H_
#define TRIBUTARY_COMMON_TEXT_PARSE_BYTE_SIZE_H_

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"

namespace tributary {

// Returns the size that `text` gives, such as "64MB", "1.5GiB" or "4096", in
// bytes; at most 2^53. K, M and G are powers of 1024 with or without the i, as
// in GraphLearn-for-PyTorch. INVALID_ARGUMENT, with the text, for anything
// else.
absl::StatusOr<uint64_t> ParseByteSize(std::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TEXT_PARSE_BYTE_SIZE_H_
