// Lets a long loop notice that its work is no longer wanted.
#ifndef TRIBUTARY_COMMON_RUNTIME_STOP_CHECK_H_
#define TRIBUTARY_COMMON_RUNTIME_STOP_CHECK_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/runtime/cancel_token.h"
#include "common/runtime/clock.h"

namespace tributary {

// Looks at a cancel token and a deadline once in kEvery units of work; a unit
// is an edge, a node or a few bytes: 1 to 200 ns. Between two looks it costs a
// subtraction and a branch. Once the work is to stop, it stays so. The clock is
// injected: where it stands still during a task, as in the simulation,
// deadlines stop no loop. For one thread at a time.
//
//   for (const uint64_t row : rows) {
//     if (ShouldStop(stop, degree(row))) return stop->why();
//     ...
class StopCheck {
 public:
  // Half a millisecond to ten milliseconds.
  static constexpr int64_t kEvery = 1 << 16;

  // `clock` outlives it; null: there is no deadline.
  StopCheck(CancelToken cancel, absl::Time deadline, const Clock* clock)
      : cancel_(std::move(cancel)), deadline_(deadline), clock_(clock) {}

  // Counts `work` units. Returns whether to stop.
  bool After(uint64_t work) {
    left_ -= static_cast<int64_t>(std::min<uint64_t>(work, kEvery));
    return left_ <= 0 && Look();
  }
  bool stopped() const { return !why_.ok(); }
  // Returns CANCELLED or DEADLINE_EXCEEDED once it has stopped, else OK.
  const absl::Status& why() const { return why_; }

 private:
  bool Look() {
    if (stopped()) return true;
    left_ = kEvery;
    if (cancel_.cancelled()) {
      why_ = absl::CancelledError("nobody waits for it any more");
    } else if (clock_ != nullptr && clock_->Now() >= deadline_) {
      why_ = absl::DeadlineExceededError("its time was over while it was made");
    }
    if (stopped()) left_ = 0;
    return stopped();
  }

  const CancelToken cancel_;
  const absl::Time deadline_;
  const Clock* const clock_;
  int64_t left_ = kEvery;
  absl::Status why_;
};

// Does nothing for null, which never stops.
inline bool ShouldStop(StopCheck* stop, uint64_t work) {
  return stop != nullptr && stop->After(work);
}

inline absl::Status WhyStopped(const StopCheck* stop) {
  return stop == nullptr ? absl::OkStatus() : stop->why();
}

// Calls f(from, to) for pieces of [0, n), of a multiple of 64 but for the last,
// until asked to stop. Returns whether it came to the end.
template <typename F>
bool InPieces(StopCheck* stop, uint64_t n, F f) {
  constexpr uint64_t kPiece = 1 << 15;
  for (uint64_t from = 0; from < n; from += kPiece) {
    const uint64_t to = from + std::min(kPiece, n - from);
    f(from, to);
    if (ShouldStop(stop, to - from)) return false;
  }
  return true;
}

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RUNTIME_STOP_CHECK_H_
