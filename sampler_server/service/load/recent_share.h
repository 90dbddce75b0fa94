// The share of the last minute in which something was in use.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_LOAD_RECENT_SHARE_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_LOAD_RECENT_SHARE_H_

#include <deque>

#include "absl/time/time.h"

namespace tributary {

// Follows a total that grows by at most a second each second: the time for
// which something has been in use since it began to exist. Keeps samples of it,
// of the last minute and one older; between two samples the total is taken to
// grow evenly. Times are the caller's, of one clock, and do not go back. Not
// thread-safe.
//
//   RecentShare share;
//   share.Add(start, absl::ZeroDuration());
//   share.At(start + absl::Seconds(60), absl::Seconds(15));  // 0.25
class RecentShare {
 public:
  static constexpr absl::Duration kWindow = absl::Minutes(1);

  // Adds a sample; call it about once a second. A sample less than half a
  // second younger than the one before is dropped, so memory is bounded.
  void Add(absl::Time now, absl::Duration total);
  // Returns the share of the minute before `now`, from 0 to 1, given the total
  // now. Before the first sample nothing was in use: the first minute counts as
  // a whole one too.
  double At(absl::Time now, absl::Duration total) const;

 private:
  struct Sample {
    absl::Time at;
    absl::Duration total;
  };

  // Returns the total at a time before `now`.
  absl::Duration TotalAt(absl::Time when, const Sample& now) const;

  std::deque<Sample> samples_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_LOAD_RECENT_SHARE_H_
