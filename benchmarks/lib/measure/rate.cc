#include "benchmarks/lib/measure/rate.h"

#include <time.h>

#include <thread>
#include <vector>

namespace tributary {
namespace {

double SecondsOf(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

struct alignas(64) Count {  // a cache line each
  uint64_t done = 0;
  double cpu_seconds = 0;
};

}  // namespace

double ProcessCpuSeconds() { return SecondsOf(CLOCK_PROCESS_CPUTIME_ID); }

MeasuredRate MeasureRate(int threads, absl::Duration time,
                         absl::FunctionRef<uint64_t(int thread)> piece) {
  std::vector<Count> counts(static_cast<size_t>(threads));
  const double start = SecondsOf(CLOCK_MONOTONIC);
  const double end = start + absl::ToDoubleSeconds(time);
  const auto run = [&](int t) {
    const double cpu = SecondsOf(CLOCK_THREAD_CPUTIME_ID);
    do {
      counts[t].done += piece(t);
    } while (SecondsOf(CLOCK_MONOTONIC) < end);
    counts[t].cpu_seconds = SecondsOf(CLOCK_THREAD_CPUTIME_ID) - cpu;
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(run, t);
  run(0);
  for (std::thread& other : others) other.join();
  const double seconds = SecondsOf(CLOCK_MONOTONIC) - start;
  MeasuredRate rate;
  for (const Count& count : counts) {
    const auto done = static_cast<double>(count.done);
    rate.per_second += done / seconds;
    rate.per_cpu_second += done / count.cpu_seconds;
  }
  return rate;
}

}  // namespace tributary
