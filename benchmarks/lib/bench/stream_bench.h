// Compares the batch stream alone, without sampling, with raw TCP, between two
// processes.
#ifndef TRIBUTARY_BENCHMARKS_LIB_BENCH_STREAM_BENCH_H_
#define TRIBUTARY_BENCHMARKS_LIB_BENCH_STREAM_BENCH_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "benchmarks/lib/measure/measured_transfer.h"

namespace tributary {

inline constexpr int kMaxBenchStreams = 16;

// Options of RunStreamBench().
struct StreamBenchOptions {
  int streams = 1;  // at once, each on its own connection; kMaxBenchStreams
  // Rounds are run for this time, at least one. A round transfers a GiB by the
  // batch stream and a GiB by raw TCP.
  absl::Duration time = absl::Seconds(3);
};

// The result of RunStreamBench().
struct StreamBenchReport {
  int streams = 1;
  TransferSeries batches;  // as servers send and trainers receive them
  TransferSeries raw;      // writev and readv of the same memory
};

// Measures the two transports in turns. For each turn a sender process is
// started from this program: `tributary bench far-end WAY STREAMS`. UNAVAILABLE
// when it ends early; DATA_LOSS when the data that arrives differs from the
// data sent.
absl::StatusOr<StreamBenchReport> RunStreamBench(
    const StreamBenchOptions& options);

// Runs that sender; returns when its receiver has ended. `way` is "raw" or
// "batches"; INVALID_ARGUMENT for another.
absl::Status RunStreamBenchFarEnd(const std::string& way, int streams);

// Return the medians of the rounds as lines for people, and as one JSON object
// on one line.
std::string ToText(const StreamBenchReport& report);
std::string ToJson(const StreamBenchReport& report);

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_LIB_BENCH_STREAM_BENCH_H_
