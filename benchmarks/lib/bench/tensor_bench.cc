#include "benchmarks/lib/bench/tensor_bench.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "benchmarks/lib/bench/stream_bench.h"
#include "common/io/buffer.h"
#include "common/random/philox.h"
#include "common/random/purpose_key.h"
#include "common/runtime/clock.h"
#include "common/runtime/mutex.h"
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
  // Each caller draws others.
  RowDraws(const TensorBenchOptions& options, int caller)
      : key_(MakePurposeKey("bench,tensors", static_cast<uint64_t>(caller))),
        num_rows_(static_cast<uint64_t>(options.rows)),
        rows_(static_cast<size_t>(options.rows_per_call)) {}

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

// One thread's calls for rows of the tensor.
class Caller {
 public:
  Caller(const TensorBenchOptions& options, DistTensor* tensor, int number)
      : tensor_(tensor),
        draws_(options, number),
        values_(static_cast<size_t>(options.rows_per_call) *
                tensor->row_bytes()) {}

  absl::Status Pull() { return tensor_->Read(draws_.Next(), values_.span()); }
  absl::Status Push() { return tensor_->Set(draws_.Next(), values_.span()); }
  // `gradients`: as many as a call's values.
  absl::Status Step(DistContext& context, absl::Span<const float> gradients) {
    const absl::Span<const int64_t> rows = draws_.NextDistinct();
    GradientRounds& rounds = context.rounds();
    RETURN_IF_ERROR(rounds.Push(*tensor_, 0, rows,
                                gradients.first(rows.size() * tensor_->width()),
                                SparseStepOptions()));
    RETURN_IF_ERROR(rounds.Close());
    return tensor_->Read(rows.first(1),
                         values_.span().first(tensor_->row_bytes()));
  }

 private:
  DistTensor* const tensor_;
  RowDraws draws_;
  AlignedBuffer values_;
};

// Repeats `call(caller)` for `time`, each caller on a thread of its own; adds
// to `counted`. Returns the first error.
template <typename Call>
absl::Status Repeat(absl::Duration time, absl::Span<Caller> callers,
                    Counted& counted, Call call) {
  const absl::Time start = SteadyClock().Now();
  Mutex mutex;
  absl::Status status;
  const auto repeat = [&](Caller& caller) {
    uint64_t calls = 0;
    absl::Status called;
    do {
      called = call(caller);
      ++calls;
    } while (called.ok() && SteadyClock().Now() - start < time);
    MutexLock lock(mutex);
    status.Update(called);
    counted.calls += calls;
  };
  std::vector<std::thread> others;
  for (Caller& caller : callers.subspan(1)) {
    others.emplace_back([&repeat, &caller] { repeat(caller); });
  }
  repeat(callers.front());
  for (std::thread& other : others) other.join();
  counted.time += SteadyClock().Now() - start;
  return status;
}

absl::StatusOr<std::unique_ptr<DistTensor>> MakeTensor(
    const TensorBenchOptions& options, DistContext& context) {
  DistTensorOptions tensor;
  tensor.name = absl::StrCat("bench-", getpid());
  tensor.num_rows = options.rows;
  tensor.dim = options.dim;
  ASSIGN_OR_RETURN(auto made, DistTensor::Create(context, tensor));
  RETURN_IF_ERROR(made->AttachOptimizer(SparseOptimizerKind::kAdagrad));
  return made;
}

absl::Status Measure(const TensorBenchOptions& options, DistContext& context,
                     DistTensor& tensor, TensorBenchReport& report) {
  std::vector<Caller> callers;
  for (int i = 0; i < options.callers; ++i) {
    callers.emplace_back(options, &tensor, i);
  }
  const absl::Span<Caller> all = absl::MakeSpan(callers);
  const std::vector<float> gradients(
      static_cast<size_t>(options.rows_per_call * options.dim), 0.001F);
  const auto pull = [](Caller& caller) { return caller.Pull(); };
  const auto push = [](Caller& caller) { return caller.Push(); };
  const auto step = [&](Caller& caller) {
    return caller.Step(context, gradients);
  };
  // The first calls touch pages that were never written; they do not count.
  for (int64_t rows = 0; rows < 2 * options.rows;
       rows += options.rows_per_call) {
    RETURN_IF_ERROR(push(callers.front()));
  }
  RETURN_IF_ERROR(step(callers.front()));
  Counted pulls, pushes, steps;
  const absl::Duration turn = options.time / (3 * kTurns);
  for (int i = 0; i < kTurns; ++i) {
    RETURN_IF_ERROR(Repeat(turn, all, pulls, pull));
    RETURN_IF_ERROR(Repeat(turn, all, pushes, push));
    RETURN_IF_ERROR(Repeat(turn, all.first(1), steps, step));
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
  ASSIGN_OR_RETURN(auto tensor, MakeTensor(options, *context));
  const absl::Status measured = Measure(options, *context, *tensor, report);
  const absl::Status dropped = tensor->Drop();
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
                      "call, %d at a time (steps: 1)\n",
                      r.options.rows, r.options.dim, r.options.rows_per_call,
                      r.options.callers),
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
      {"callers", r.options.callers},
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
