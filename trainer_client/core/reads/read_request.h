// Makes requests that read the stored graph, and their payloads.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_READS_READ_REQUEST_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_READS_READ_REQUEST_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/types/span.h"
#include "partition/schema/schema.h"

namespace tributary {

// The most bytes that one call asks for; servers allow 4 MiB.
inline constexpr size_t kReadBytesPerCall = size_t{1} << 20;

// Returns a request of graph_reads.proto for a graph of this layout, with the
// servers' share of the call's time.
template <typename Request>
Request ReadRequestOf(const GraphSchema& schema) {
  constexpr uint64_t kServerTimeoutMs = 10'000;
  Request request;
  request.set_layout_digest(schema.layout_digest.data(),
                            schema.layout_digest.size());
  request.set_timeout_ms(kServerTimeoutMs);
  return request;
}

// Returns the values as a call's payload has them.
template <typename T>
std::vector<uint8_t> PayloadOf(absl::Span<const T> values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_READS_READ_REQUEST_H_
