// The share of a long piece of work that one step may do.
#ifndef TRIBUTARY_COMMON_RUNTIME_WORK_SLICE_H_
#define TRIBUTARY_COMMON_RUNTIME_WORK_SLICE_H_

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tributary {

// Counts the work of one step, in estimated nanoseconds of CPU time, so that
// work is cut at the same places whatever the machine and its load. Code that
// works in steps does a little, calls Spend, and returns once the slice is used
// up. A value, for one thread.
class WorkSlice {
 public:
  // A tenth of a millisecond: what waits behind a step waits no longer, and
  // taking turns costs about a fiftieth of it.
  static constexpr uint64_t kLimit = 100'000;

  explicit WorkSlice(uint64_t limit = kLimit) : limit_(limit) {}
  // For work that is done at once.
  static WorkSlice Unlimited() {
    return WorkSlice(std::numeric_limits<uint64_t>::max());
  }

  void Spend(uint64_t work) { spent_ += work; }
  bool used_up() const { return spent_ >= limit_; }
  uint64_t spent() const { return spent_; }

  // Returns how many of `count` items of `work` each come next: as many as fit,
  // but at least one, so that every step gets on. Requires count > 0.
  uint64_t Fitting(uint64_t count, uint64_t work) const {
    const uint64_t left = used_up() ? 0 : limit_ - spent_;
    return std::min(count,
                    std::max<uint64_t>(1, left / std::max<uint64_t>(1, work)));
  }

 private:
  const uint64_t limit_;
  uint64_t spent_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RUNTIME_WORK_SLICE_H_
