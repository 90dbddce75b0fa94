// The file hot/hot.json as it lies beside a graph, to be copied and compared.
#ifndef TRIBUTARY_PARTITION_FORMAT_HOT_TEXT_H_
#define TRIBUTARY_PARTITION_FORMAT_HOT_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace tributary {

inline constexpr size_t kMaxHotTextBytes = size_t{64} << 20;
// Stands for the digest of a graph without a cache.
inline constexpr char kNoHotCache[] = "none";

// Returns the text of hot.json of the graph in `folder`; none if there is no
// cache. Errors as ReadFile.
absl::StatusOr<std::optional<std::string>> ReadHotText(
    const std::string& folder);

// Returns the SHA-256 of hot.json in hexadecimal, or kNoHotCache. It changes
// with every byte of the cache. Errors as ReadHotText.
absl::StatusOr<std::string> HotDigestOf(const std::string& folder);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_HOT_TEXT_H_
