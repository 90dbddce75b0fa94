// Measures the rate at which a loader delivers batches, and compares it with a
// limit of the machine.
#ifndef TRIBUTARY_BENCHMARKS_LIB_BENCH_BENCH_RUN_H_
#define TRIBUTARY_BENCHMARKS_LIB_BENCH_BENCH_RUN_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "partition/pipeline/inputs/rmat/rmat.h"
#include "trainer_client/core/kinds/session_options.h"
#include "trainer_client/modes/options.h"

namespace tributary {

// Where batches are made and what is in them; and the limit.
enum class BenchKind {
  kSample,  // in this process, without features; random cache lines
  kGather,  // in this process, with features; memcpy, random cache lines
  kStream,  // by the servers of `request`, with features; raw TCP
};

struct BenchOptions {
  BenchKind kind = BenchKind::kSample;
  // Names the graph or the servers; if it names neither, a graph is generated
  // from `rmat`.
  BatchSourceOptions source;
  RmatOptions rmat;
  SessionOptions session;
  uint64_t epoch = 0;  // the first one
  int threads = 1;     // that measure the limit
  // Epochs are repeated for this time; zero: the batches [from, to) of one
  // epoch.
  absl::Duration time;
  uint64_t from = 0;
  uint64_t to = UINT64_MAX;
  // Each batch is held for so long before the next one is taken, as the step of
  // a trainer does.
  absl::Duration step_time;
};

// The result of RunBench().
struct BenchReport {
  BenchKind kind = BenchKind::kSample;
  std::string graph;
  int64_t nodes = 0;  // of the graph
  int64_t edges = 0;
  uint64_t batch_size = 0;
  int threads = 0;
  // The first batch includes start-up; the fields below do not count it.
  double first_batch_seconds = 0;
  uint64_t batches = 0;
  double seconds = 0;
  double waited_seconds = 0;  // in Next(), including that for the first batch
  double step_seconds = 0;    // BenchOptions::step_time
  double wait_ratio = 0;      // LoaderStats::wait_ratio at the end
  // Of the batches' bytes, the share that this process held, so that servers
  // did not send it.
  double held_share = 0;
  double compact_share = 0;         // likewise, that compact edges did without
  double wire_bytes_per_batch = 0;  // kStream: that servers sent of a batch
  double batches_per_second = 0;
  double inputs_per_second = 0;
  double edges_per_second = 0;  // sampled
  double bytes_per_second = 0;  // of batches
  std::string limit;            // its unit: "random cache lines of 64 MiB"
  double limit_per_second = 0;
  double ratio = 0;  // edges or bytes per second, over the limit
  // For kGather: the rate of random cache lines in as much memory as sampling
  // and gathering read (LimitMemory), a second limit, since gathering rows is
  // not a sequential copy.
  std::string random_line_memory;
  std::optional<double> random_line_bytes_per_second;
};

// Runs the benchmark. INVALID_ARGUMENT when kStream has no servers;
// OUT_OF_RANGE when fewer than two batches came, too few for a rate; else the
// loader's errors. A generated graph is written to a temporary folder, removed
// before return.
absl::StatusOr<BenchReport> RunBench(const BenchOptions& options);

// Return the report as lines for people, and as one JSON object on one line.
std::string ToText(const BenchReport& report);
std::string ToJson(const BenchReport& report);

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_LIB_BENCH_BENCH_RUN_H_
