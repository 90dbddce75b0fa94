#include "cli/bench/tensor_bench.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "cli/bench/stream_bench.h"
#include "common/io/buffer.h"
#include "common/random/philox.h"
#include "common/random/purpose_key.h"
#include "common/runtime/clock.h"
#include "common/text/status.h"
#include "trainer_client/modes/sampling_workers.h"
#include "trainer_client/tensors/dist_context.h"
#include "trainer_client/tensors/dist_tensor.h"

namespace tributary {
namespace {

// The turns that the time is divided into; the stream has one more at the end.
constexpr int kTurns = 3;

// Draws the rows of one call after the other.
class RowDraws {
 public:
  RowDraws(int64_t num_rows, int64_t count)
      : key_(MakePurposeKey("bench,tensors", 0)),
        num_rows_(static_cast<uint64_t>(num_rows)),
        rows_(static_cast<size_t>(count)) {}

  absl::Span<const int64_t> Next() {
    PhiloxStream words(key_, next_++);
    for (size_t i = 0; i < rows_.size(); ++i) {
      rows_[i] = static_cast<int64_t>(
          words.BelowWide(static_cast<uint32_t>(i), num_rows_));
    }
    return rows_;
  }
  // Returns distinct rows, ascending: about as many.
  absl::Span<const int64_t> NextDistinct() {
    Next();
    std::sort(rows_.begin(), rows_.end());
    const auto end = std::unique(rows_.begin(), rows_.end());
    return absl::MakeSpan(rows_).first(
        static_cast<size_t>(end - rows_.begin()));
  }

 private:
  const PhiloxKey key_;
  const uint64_t num_rows_;
  std::vector<int64_t> rows_;
  uint32_t next_ = 0;
};

// Calls that were made in some time.
struct Counted {
  uint64_t calls = 0;
  absl::Duration time;
  double PerSecond() const {
    return static_cast<double>(calls) / absl::ToDoubleSeconds(time);
  }
};

// Repeats `call` for `time`; adds to `counted`.
template <typename Call>
absl::Status Repeat(absl::Duration time, Counted& counted, Call call) {
  const absl::Time start = SteadyClock().Now();
  absl::Duration spent;
  do {
    RETURN_IF_ERROR(call());
    ++counted.calls;
    spent = SteadyClock().Now() - start;
  } while (spent < time);
  counted.time += spent;
  return absl::OkStatus();
}

// The tensor and what is measured of it.
class TensorCalls {
 public:
  TensorCalls(const TensorBenchOptions& options, DistContext* context,
              std::unique_ptr<DistTensor> tensor)
      : context_(context),
        tensor_(std::move(tensor)),
        draws_(options.rows, options.rows_per_call),
        values_(static_cast<size_t>(options.rows_per_call) *
                tensor_->row_bytes()),
        gradients_(static_cast<size_t>(options.rows_per_call * options.dim),
                   0.001F) {}

  absl::Status Pull() { return tensor_->Read(draws_.Next(), values_.span()); }
  absl::Status Push() { return tensor_->Set(draws_.Next(), values_.span()); }
  absl::Status Step() {
    const absl::Span<const int64_t> rows = draws_.NextDistinct();
    GradientRounds& rounds = context_->rounds();
    RETURN_IF_ERROR(rounds.Push(
        *tensor_, 0, rows,
        absl::MakeConstSpan(gradients_).first(rows.size() * tensor_->width()),
        SparseStepOptions()));
    RETURN_IF_ERROR(rounds.Close());
    return tensor_->Read(rows.first(1),
                         values_.span().first(tensor_->row_bytes()));
  }
  absl::Status Drop() { return tensor_->Drop(); }

 private:
  DistContext* const context_;
  const std::unique_ptr<DistTensor> tensor_;
  RowDraws draws_;
  AlignedBuffer values_;
  std::vector<float> gradients_;
};

absl::StatusOr<std::unique_ptr<TensorCalls>> MakeTensor(
    const TensorBenchOptions& options, DistContext& context) {
  DistTensorOptions tensor;
  tensor.name = absl::StrCat("bench-", getpid());
  tensor.num_rows = options.rows;
  tensor.dim = options.dim;
  ASSIGN_OR_RETURN(auto made, DistTensor::Create(context, tensor));
  RETURN_IF_ERROR(made->AttachOptimizer(SparseOptimizerKind::kAdagrad));
  return std::make_unique<TensorCalls>(options, &context, std::move(made));
}

// The first calls touch pages that were never written; they are not counted.
absl::Status WarmUp(const TensorBenchOptions& options, TensorCalls& calls) {
  for (int64_t rows = 0; rows < 2 * options.rows;
       rows += options.rows_per_call) {
    RETURN_IF_ERROR(calls.Push());
  }
  RETURN_IF_ERROR(calls.Pull());
  return calls.Step();
}

absl::Status Measure(const TensorBenchOptions& options, TensorCalls& calls,
                     TensorBenchReport& report) {
  RETURN_IF_ERROR(WarmUp(options, calls));
  Counted pulls, pushes, steps;
  const absl::Duration turn = options.time / (3 * kTurns);
  for (int i = 0; i < kTurns; ++i) {
    RETURN_IF_ERROR(Repeat(turn, pulls, [&] { return calls.Pull(); }));
    RETURN_IF_ERROR(Repeat(turn, pushes, [&] { return calls.Push(); }));
    RETURN_IF_ERROR(Repeat(turn, steps, [&] { return calls.Step(); }));
  }
  report.pulls_per_second = pulls.PerSecond();
  report.pushes_per_second = pushes.PerSecond();
  report.steps_per_second = steps.PerSecond();
  return absl::OkStatus();
}

}  // namespace

double TensorBenchReport::BytesPerSecond(double calls_per_second) const {
  return calls_per_second * static_cast<double>(options.rows_per_call) *
         static_cast<double>(options.dim) * sizeof(float);
}

double TensorBenchReport::PullRatio() const {
  return BytesPerSecond(pulls_per_second) / (Median(stream.rates) * 1e9);
}

absl::StatusOr<TensorBenchReport> RunTensorBench(
    const TensorBenchOptions& options) {
  TensorBenchReport report;
  report.options = options;
  ASSIGN_OR_RETURN(auto workers, SamplingWorkers::Open(options.worker));
  ASSIGN_OR_RETURN(auto context,
                   DistContext::Open(workers.get(), DistContextOptions()));
  ASSIGN_OR_RETURN(auto calls, MakeTensor(options, *context));
  const absl::Status measured = Measure(options, *calls, report);
  const absl::Status dropped = calls->Drop();
  RETURN_IF_ERROR(measured);
  RETURN_IF_ERROR(dropped);
  StreamBenchOptions stream;
  stream.time = options.time / 3;
  ASSIGN_OR_RETURN(const StreamBenchReport streamed, RunStreamBench(stream));
  report.stream = streamed.batches;
  return report;
}

std::string ToText(const TensorBenchReport& r) {
  const auto line = [&r](const char* name, double calls) {
    return absl::StrFormat("  %-10s %8.1f calls/s %10.0f rows/s %8.1f MB/s\n",
                           name, calls,
                           calls * static_cast<double>(r.options.rows_per_call),
                           r.BytesPerSecond(calls) / 1e6);
  };
  return absl::StrCat(
      absl::StrFormat("tensors: %d rows of %d float32; %d random rows in each "
                      "call, one call at a time\n",
                      r.options.rows, r.options.dim, r.options.rows_per_call),
      line("pulls", r.pulls_per_second), line("pushes", r.pushes_per_second),
      line("steps", r.steps_per_second),
      absl::StrFormat("  stream     %.1f MB/s of batches, without sampling\n"
                      "  ratio      %.3f of the stream by pulls\n",
                      Median(r.stream.rates) * 1e3, r.PullRatio()));
}

std::string ToJson(const TensorBenchReport& r) {
  const nlohmann::ordered_json json = {
      {"benchmark", "tensors"},
      {"rows", r.options.rows},
      {"dim", r.options.dim},
      {"rows_per_call", r.options.rows_per_call},
      {"pulls_per_second", r.pulls_per_second},
      {"pulled_bytes_per_second", r.BytesPerSecond(r.pulls_per_second)},
      {"pushes_per_second", r.pushes_per_second},
      {"pushed_bytes_per_second", r.BytesPerSecond(r.pushes_per_second)},
      {"steps_per_second", r.steps_per_second},
      {"stream_bytes_per_second", Median(r.stream.rates) * 1e9},
      {"ratio", r.PullRatio()},
  };
  return json.dump() + "\n";
}

}  // namespace tributary
