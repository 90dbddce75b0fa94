// Streams between two processes over loopback, to be timed: raw TCP and
// batches, both out of the same memory.
#ifndef TRIBUTARY_CHANNEL_MEASURE_STREAM_ENDS_H_
#define TRIBUTARY_CHANNEL_MEASURE_STREAM_ENDS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/io/buffer.h"

namespace tributary {

// What is sent, and what arrives: both ends make the same.
AlignedBuffer FilledRoom(size_t bytes);

// In the process that sends (see FarEnd): until the parent goes, `room` as
// LoopbackSource::Send has it, once; or as the batch that every credit asks
// for.
absl::Status ServeRawStreams(absl::Span<const uint8_t> room, int streams,
                             uint64_t bytes);
absl::Status ServeBatchStreams(absl::Span<const uint8_t> room,
                               size_t frame_bytes);

// What `bytes` took.
struct TransferCost {
  double seconds = 0;
  double sender_cpu_seconds = 0;
  double receiver_cpu_seconds = 0;
};

// Runs this program with `arguments`, which make it serve as above, and here
// `receive` from its port, which returns its seconds. The CPU seconds are of
// all that `receive` does, also before its clock starts. When that process ends
// early, UNAVAILABLE says how.
absl::StatusOr<TransferCost> MeasureTransfer(
    std::vector<std::string> arguments,
    const std::function<absl::StatusOr<double>(uint16_t port)>& receive);

// One way to move the bytes, round by round.
struct TransferSeries {
  std::vector<double> rates;          // GB/s
  std::vector<double> sender_cpus;    // CPU seconds a GB
  std::vector<double> receiver_cpus;  // likewise

  void Add(const TransferCost& cost, uint64_t bytes);
};

// The upper one of an even number; `values` is not empty.
double Median(std::vector<double> values);

// "2.30 GB/s (1.98 to 2.78)...": medians, least and most.
std::string ToText(const TransferSeries& series);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_MEASURE_STREAM_ENDS_H_
