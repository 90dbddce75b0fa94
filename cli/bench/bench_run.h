// Measures batches as they come out of a loader, beside the machine's limit.
#ifndef TRIBUTARY_CLI_BENCH_BENCH_RUN_H_
#define TRIBUTARY_CLI_BENCH_BENCH_RUN_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/sample/sample_request.h"
#include "partition/pipeline/inputs/rmat.h"

namespace tributary {

enum class BenchKind {
  kSample,  // in this process, no features; random cache lines
  kGather,  // in this process, with features; memcpy, random cache lines
  kStream,  // from the servers that `request` names, with features; raw TCP
};

struct BenchOptions {
  BenchKind kind = BenchKind::kSample;
  // Neither graph nor servers: a graph of `rmat`.
  SampleRequest request;
  RmatOptions rmat;
  // Epochs again and again for so long; zero: request.batches of one epoch.
  absl::Duration time;
};

struct BenchReport {
  BenchKind kind = BenchKind::kSample;
  std::string graph;
  int64_t nodes = 0;  // of the graph
  int64_t edges = 0;
  uint64_t batch_size = 0;
  int threads = 0;
  // The first batch is start-up, and no part of what follows it here.
  double first_batch_seconds = 0;
  uint64_t batches = 0;
  double seconds = 0;
  double waited_seconds = 0;  // in Next(), the first batch's wait included
  double batches_per_second = 0;
  double inputs_per_second = 0;
  double edges_per_second = 0;  // sampled
  double bytes_per_second = 0;  // of batches
  std::string limit;  // what the machine did: "random cache lines of 64 MiB"
  double limit_per_second = 0;
  double ratio = 0;  // edges or bytes, over the limit
  // Of kGather: what random cache lines of the graph's size bring, for rows
  // are no sequential copy.
  std::optional<double> random_line_bytes_per_second;
};

// INVALID_ARGUMENT when a stream has no servers. OUT_OF_RANGE when fewer than
// two batches came, for they make no rate. A made-up graph is written to a
// temporary folder, which is gone on return.
absl::StatusOr<BenchReport> RunBench(const BenchOptions& options);

// Lines for people; one JSON object in one line.
std::string ToText(const BenchReport& report);
std::string ToJson(const BenchReport& report);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_BENCH_BENCH_RUN_H_
