// Measures the batch stream by itself, beside raw TCP, between two processes.
#ifndef TRIBUTARY_CLI_BENCH_STREAM_BENCH_H_
#define TRIBUTARY_CLI_BENCH_STREAM_BENCH_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/measure/measured_transfer.h"

namespace tributary {

inline constexpr int kMaxBenchStreams = 16;

struct StreamBenchOptions {
  int streams = 1;  // at once, each on a connection of its own; at most 16
  // Rounds for so long, at least one. A round is a GiB each way.
  absl::Duration time = absl::Seconds(3);
};

struct StreamBenchReport {
  int streams = 1;
  TransferSeries batches;  // as servers send and trainers take them
  TransferSeries raw;      // writev and readv of the same memory
};

// The ways in turns, each with a sender of its own: `tributary bench far-end
// WAY STREAMS`, which is this program, and ends with its turn. UNAVAILABLE when
// it ends before; DATA_LOSS when what arrives is not what was sent.
absl::StatusOr<StreamBenchReport> RunStreamBench(
    const StreamBenchOptions& options);

// That sender; returns when the one that it sends to has gone. `way` is raw or
// batches.
absl::Status RunStreamBenchFarEnd(const std::string& way, int streams);

// Lines for people; one JSON object in one line. Medians of the rounds.
std::string ToText(const StreamBenchReport& report);
std::string ToJson(const StreamBenchReport& report);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_BENCH_STREAM_BENCH_H_
