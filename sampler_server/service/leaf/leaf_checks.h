// Validates the requests of leaf calls.
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

// Returns INVALID_ARGUMENT, which names `what`, unless index < count.
absl::Status CheckIndex(std::string_view what, uint64_t index, size_t count);

// Returns NOT_FOUND with `partition` and the partitions of `graph` that are
// here.
absl::Status NotHere(const Graph& graph, uint32_t partition);

// Returns INVALID_ARGUMENT unless `payload_bytes` is the size of exactly
// `count` items. `count` may be any number that a peer sends. Requires
// item_bytes > 0.
absl::Status CheckPayload(uint64_t count, size_t item_bytes,
                          size_t payload_bytes);

// Returns OUT_OF_RANGE unless every row is below num_rows.
absl::Status CheckRows(absl::Span<const uint64_t> rows, uint64_t num_rows);

// Copies the first `count` values of `bytes`, which may be unaligned, since
// payloads pack 32-bit arrays before 64-bit ones. Requires that they are there.
template <typename T>
std::vector<T> CopyArray(absl::Span<const uint8_t> bytes, size_t count) {
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), bytes.data(), count * sizeof(T));
  return values;
}

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_LEAF_LEAF_CHECKS_H_
