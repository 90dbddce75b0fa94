// Batches through one gRPC stream as servers and trainers move them: frames
// with CRCs, cut from a room, copied and checked into a slot.
#ifndef TRIBUTARY_BENCHMARKS_CHANNEL_GRPC_BATCH_STREAM_H_
#define TRIBUTARY_BENCHMARKS_CHANNEL_GRPC_BATCH_STREAM_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// Seconds for `repeats` batches whose room is `from`, received into `to`, two
// asked for ahead. The connection is made before the clock starts.
absl::StatusOr<double> GrpcBatchSeconds(absl::Span<const uint8_t> from,
                                        absl::Span<uint8_t> to, int repeats,
                                        size_t frame_bytes);

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_CHANNEL_GRPC_BATCH_STREAM_H_
