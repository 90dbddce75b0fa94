// The share of the last minute that was spent waiting.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_RECENT_WAIT_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_RECENT_WAIT_H_

#include <array>
#include <cstdint>
#include <optional>

#include "absl/time/time.h"

namespace tributary {

// Adds up waits in a ring of one bucket per second, so its memory does not grow
// with their number. Times are the caller's, of one clock. Not thread-safe.
//
//   RecentWait wait;
//   wait.Begin(start);               // the observation begins
//   wait.Add(start, start + absl::Seconds(3));
//   wait.Ratio(start + absl::Seconds(12));  // 0.25
class RecentWait {
 public:
  static constexpr int64_t kSeconds = 60;

  // Begins the observation, unless it has begun.
  void Begin(absl::Time now) {
    if (!begun_) begun_ = now;
  }
  // Adds a wait from `from` to `to`. Waits must not overlap, and come in the
  // order of time. Costs at most kSeconds steps, however long the wait.
  void Add(absl::Time from, absl::Time to);
  // Returns the share that was spent waiting of the time up to `now`: of the
  // last 59 to 60 s (a window begins with a bucket), or since Begin() if that
  // is less. 0 before Begin(), and at that very moment.
  double Ratio(absl::Time now) const;
  // Returns the same as a share of a whole minute, even if Begin() was later:
  // the wait of the last minute, divided by a minute.
  double MinuteRatio(absl::Time now) const;

 private:
  static int64_t FirstSecond(absl::Time now);
  absl::Duration WaitedIn(absl::Time now) const;

  struct Bucket {
    int64_t second = INT64_MIN;  // since the Unix epoch
    absl::Duration waited;
  };

  std::optional<absl::Time> begun_;
  std::array<Bucket, kSeconds> buckets_;  // by second modulo kSeconds
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_RECENT_WAIT_H_
