// CPU time that one piece of work takes, on whatever threads it runs.
#ifndef TRIBUTARY_COMMON_RUNTIME_CPU_METER_H_
#define TRIBUTARY_COMMON_RUNTIME_CPU_METER_H_

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"

namespace tributary {

// Of the calling thread so far.
absl::Duration ThreadCpuTime();

// Thread-safe.
class CpuMeter {
 public:
  // CPU time of the calling thread: ThreadCpuTime, or a test's.
  using Clock = absl::Duration (*)();

  explicit CpuMeter(Clock clock) : clock_(clock) {}

  absl::Duration spent() const { return absl::Nanoseconds(nanos_.load()); }

  // From its constructor to its destructor, on one thread, counts. `meter` may
  // be null.
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
