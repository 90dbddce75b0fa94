// Measures how batches pass from one process of a machine to another, channel
// beside channel, and beside memcpy.
#ifndef TRIBUTARY_CLI_BENCH_CHANNEL_BENCH_H_
#define TRIBUTARY_CLI_BENCH_CHANNEL_BENCH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/measure/measured_transfer.h"
#include "common/io/unique_fd.h"

namespace tributary {

struct ChannelSeries {
  // Small batches, one at a time: from the filled batch to the handler that has
  // it.
  std::vector<int64_t> handover_ns;
  TransferSeries transfers;  // of larger ones, a few asked for ahead
};

// Those larger batches' bytes by memcpy, one thread of one process.
struct MemcpySeries {
  std::vector<double> rates;  // GB/s
  std::vector<double> cpus;   // CPU seconds a GB
};

struct ChannelBenchReport {
  ChannelSeries shared_memory;  // filled where the trainer reads them
  ChannelSeries unix_socket;    // frames through the same socket
  ChannelSeries grpc;           // frames over loopback TCP
  MemcpySeries memcpy;
};

// Rounds of all channels in turns for `time`, at least one. Each channel's
// other end is a process that stays: `tributary bench filling-end [DOOR]`,
// which is this program. UNAVAILABLE when one ends before; DATA_LOSS when what
// arrives is not what was sent.
absl::StatusOr<ChannelBenchReport> RunChannelBench(absl::Duration time);

// That process; returns when its parent has gone. Without a door it serves over
// gRPC.
absl::Status RunFillingEnd(std::optional<UniqueFd> door);

// Lines for people; one JSON object in one line.
std::string ToText(const ChannelBenchReport& report);
std::string ToJson(const ChannelBenchReport& report);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_BENCH_CHANNEL_BENCH_H_
