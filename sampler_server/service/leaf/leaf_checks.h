// What both leaf calls check of a request before they believe it.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_LEAF_LEAF_CHECKS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_LEAF_LEAF_CHECKS_H_

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "partition/format/graph.h"

namespace tributary {

// INVALID_ARGUMENT unless index < count.
absl::Status CheckIndex(std::string_view what, uint64_t index, size_t count);

// NOT_FOUND, with the partitions that are here.
absl::Status NotHere(const Graph& graph, uint32_t partition);

// INVALID_ARGUMENT unless `payload` is exactly `count` items long.
absl::Status CheckPayload(uint64_t count, size_t item_bytes, size_t payload);

// OUT_OF_RANGE unless every row is below num_rows.
absl::Status CheckRows(absl::Span<const uint64_t> rows, uint64_t num_rows);

// Payloads pack 32-bit arrays before 64-bit ones, so these may be unaligned.
template <typename T>
std::vector<T> CopyArray(absl::Span<const uint8_t> bytes, size_t count) {
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), bytes.data(), count * sizeof(T));
  return values;
}

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_LEAF_LEAF_CHECKS_H_
