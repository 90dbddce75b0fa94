// The payloads of requests and replies that read a graph.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_READS_REPLY_OF_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_READS_REPLY_OF_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/runtime/shared_budget.h"
#include "common/text/status.h"
#include "sampler_server/service/leaf/leaf_calls.h"
#include "sampler_server/service/leaf/leaf_checks.h"
#include "sampler_server/service/reads/graph_reads.h"

namespace tributary {

// The work of looking a number up in an array that is in no cache, and by a
// binary search in one (see WorkSlice).
inline constexpr uint64_t kRandomAccess = 100;
inline constexpr uint64_t kBinarySearch = 500;

// Returns the items of a request's payload. INVALID_ARGUMENT if there are too
// many of them, or not `count`.
template <typename T>
absl::StatusOr<std::vector<T>> ItemsOf(uint64_t count,
                                       absl::Span<const uint8_t> payload) {
  if (count > kMaxGraphReadItems) {
    return absl::InvalidArgumentError(absl::StrCat("a request for ", count,
                                                   " items; allowed: up to ",
                                                   kMaxGraphReadItems));
  }
  RETURN_IF_ERROR(CheckPayload(count, sizeof(T), payload.size()));
  return CopyArray<T>(payload, count);
}

// Returns a reply with room for `rows` rows. INVALID_ARGUMENT if they exceed
// the limit of a reply; RESOURCE_EXHAUSTED when the budget is full.
// `more_bytes` are reserved beside the payload.
inline absl::StatusOr<LeafReply> ReplyOf(size_t rows, size_t row_bytes,
                                         const LeafLimits& limits,
                                         BudgetShare& budget,
                                         size_t more_bytes = 0) {
  if (rows > 0 && row_bytes > limits.max_reply_bytes / rows) {
    return absl::InvalidArgumentError(
        absl::StrCat(rows, " rows of ", row_bytes, " bytes exceed a reply's ",
                     limits.max_reply_bytes, " bytes; ask for fewer"));
  }
  const size_t bytes = rows * row_bytes;
  ASSIGN_OR_RETURN(BudgetShare::Hold reservation,
                   budget.TryTake(bytes + more_bytes));
  LeafReply reply;
  reply.payload = AlignedBuffer(bytes);
  reply.reservation = std::move(reservation);
  return reply;
}

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_READS_REPLY_OF_H_
