// Measures how fast rows of tensors on servers are read and written.
#ifndef TRIBUTARY_BENCHMARKS_LIB_BENCH_TENSOR_BENCH_H_
#define TRIBUTARY_BENCHMARKS_LIB_BENCH_TENSOR_BENCH_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "benchmarks/lib/measure/transfer_series.h"
#include "trainer_client/core/options.h"

namespace tributary {

inline constexpr int kMaxBenchCallers = 16;

struct TensorBenchOptions {
  RemoteDistSamplingWorkerOptions worker;  // names the servers
  int64_t rows = 1'000'000;                // of the tensor
  int64_t dim = 64;                        // float32 values in a row
  int64_t rows_per_call = 10'000;          // random ones, in each call
  // Pulls and pushes at once, each of a thread: 1 to kMaxBenchCallers.
  int callers = 1;
  // Each kind of call is repeated for a share of it, in turns.
  absl::Duration time = absl::Seconds(6);
};

// The result of RunTensorBench(): calls in a second, of all callers together.
struct TensorBenchReport {
  TensorBenchOptions options;
  size_t num_servers = 0;  // that hold rows
  double pulls_per_second = 0;
  double pushes_per_second = 0;  // rows are set; answered when they are
  // Gradients of a round of one rank: pushed, closed, applied by Adagrad, and
  // seen by a read of one row. One at a time.
  double steps_per_second = 0;
  // The batch stream between two processes, without sampling, measured in the
  // same run.
  TransferSeries stream;

  double BytesPerSecond(double calls_per_second) const;
  // Returns the bytes pulled in a second as a share of the stream's.
  double PullRatio() const;
};

// Creates a tensor on the servers, fills it, measures, and drops it. Errors are
// those of DistContext and DistTensor.
absl::StatusOr<TensorBenchReport> RunTensorBench(
    const TensorBenchOptions& options);

// Return the report as lines for people, and as one JSON object on one line.
std::string ToText(const TensorBenchReport& report);
std::string ToJson(const TensorBenchReport& report);

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_LIB_BENCH_TENSOR_BENCH_H_
