// Compares the channels by which batches pass from one process of a machine to
// another, with each other and with memcpy.
#ifndef TRIBUTARY_BENCHMARKS_LIB_BENCH_CHANNEL_BENCH_H_
#define TRIBUTARY_BENCHMARKS_LIB_BENCH_CHANNEL_BENCH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "benchmarks/lib/measure/measured_transfer.h"
#include "common/io/unique_fd.h"

namespace tributary {

// The measurements of one channel.
struct ChannelSeries {
  // Small batches, one at a time: nanoseconds from the filled batch to the
  // handler that receives it.
  std::vector<int64_t> handover_ns;
  TransferSeries transfers;  // larger batches, a few requested ahead
};

// Rates of copying the bytes of the larger batches by memcpy on one thread.
struct MemcpySeries {
  std::vector<double> rates;  // GB/s
  std::vector<double> cpus;   // CPU seconds per GB
};

// The result of RunChannelBench().
struct ChannelBenchReport {
  ChannelSeries shared_memory;  // filled where the trainer reads them
  ChannelSeries unix_socket;    // frames through the same socket
  ChannelSeries grpc;           // frames over loopback TCP
  MemcpySeries memcpy;
};

// Measures rounds of all channels in turns for `time`, at least one round. Each
// channel's other end is one process for the whole run, started from this
// program: `tributary bench filling-end [DOOR]`. UNAVAILABLE when such a
// process ends early; DATA_LOSS when the data that arrives differs from the
// data sent.
absl::StatusOr<ChannelBenchReport> RunChannelBench(absl::Duration time);

// Runs that process; returns when its parent has ended. `door` is the socket to
// its parent; without one it serves over gRPC.
absl::Status RunFillingEnd(std::optional<UniqueFd> door);

// Return the report as lines for people, and as one JSON object on one line.
std::string ToText(const ChannelBenchReport& report);
std::string ToJson(const ChannelBenchReport& report);

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_LIB_BENCH_CHANNEL_BENCH_H_
