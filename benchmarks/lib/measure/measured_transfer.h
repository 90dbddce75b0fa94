// Measures a transfer from a child process over loopback: raw TCP or batches,
// both out of the same memory.
#ifndef TRIBUTARY_BENCHMARKS_LIB_MEASURE_MEASURED_TRANSFER_H_
#define TRIBUTARY_BENCHMARKS_LIB_MEASURE_MEASURED_TRANSFER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "benchmarks/lib/measure/batch_stream.h"
#include "benchmarks/lib/measure/transfer_series.h"
#include "common/io/buffer.h"

namespace tributary {

// Returns the bytes to transfer. Both ends make the same ones, so that the
// receiver can compare.
AlignedBuffer MakePattern(size_t bytes);

// For the sending process (see SenderProcess): serve until the parent ends.
// ServeRawStreams sends `room` as LoopbackSource::Send does, once;
// ServeBatchStreams sends it as the batch that every credit requests.
absl::Status ServeRawStreams(absl::Span<const uint8_t> room, int streams,
                             uint64_t bytes);
absl::Status ServeBatchStreams(const BatchNetwork& network,
                               absl::Span<const uint8_t> room,
                               size_t frame_bytes);

// Starts this program with `arguments`, which must make it serve as above, and
// calls `receive` with its port; `receive` returns the seconds it took. The CPU
// seconds of the result cover all that `receive` does, also before its clock
// starts. Returns UNAVAILABLE if that process ends early, with how it ended.
absl::StatusOr<TransferCost> MeasureTransfer(
    std::vector<std::string> arguments,
    const std::function<absl::StatusOr<double>(uint16_t port)>& receive);

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_LIB_MEASURE_MEASURED_TRANSFER_H_
