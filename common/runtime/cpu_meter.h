// Measures the CPU time of one piece of work, summed over the threads it runs
// on.
#ifndef TRIBUTARY_COMMON_RUNTIME_CPU_METER_H_
#define TRIBUTARY_COMMON_RUNTIME_CPU_METER_H_

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"

namespace tributary {

// Returns the CPU time that the calling thread has used so far.
absl::Duration ThreadCpuTime();
// Returns the CPU time that all threads of this process have used so far.
absl::Duration ProcessCpuTime();

// A sum of CPU time. Code that works for the task opens a Scope. Thread-safe.
class CpuMeter {
 public:
  // Returns the CPU time of the calling thread: ThreadCpuTime, or a test's
  // function.
  using Clock = absl::Duration (*)();

  explicit CpuMeter(Clock clock) : clock_(clock) {}

  absl::Duration spent() const { return absl::Nanoseconds(nanos_.load()); }

  // Adds the CPU time between its construction and destruction, both on the
  // same thread, to `meter`, which may be null.
  class Scope {
   public:
    explicit Scope(CpuMeter* meter)
        : meter_(meter), from_(meter == nullptr ? 0 : meter->Now()) {}
    ~Scope() {
      if (meter_ != nullptr) meter_->nanos_.fetch_add(meter_->Now() - from_);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    CpuMeter* const meter_;
    const int64_t from_;
  };

 private:
  int64_t Now() const { return absl::ToInt64Nanoseconds(clock_()); }

  const Clock clock_;
  std::atomic<int64_t> nanos_{0};
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RUNTIME_CPU_METER_H_
