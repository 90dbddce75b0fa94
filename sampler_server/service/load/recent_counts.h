// How much counters have grown in the last minute.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_LOAD_RECENT_COUNTS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_LOAD_RECENT_COUNTS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "absl/time/time.h"

namespace tributary {

// Keeps samples of kCounters totals that only grow, of the last minute and one
// older. Counters begin at 0 when this is made. Not thread-safe; times are the
// caller's, of one clock, and do not go back.
template <size_t kCounters>
class RecentCounts {
 public:
  using Totals = std::array<uint64_t, kCounters>;
  static constexpr absl::Duration kEvery = absl::Seconds(5);
  static constexpr absl::Duration kWindow = absl::Minutes(1);

  // Adds a sample; call it about every kEvery. One that is less than half of
  // that younger than the one before is dropped, so memory is bounded.
  void Add(absl::Time now, const Totals& totals) {
    if (!samples_.empty() && now - samples_.back().at < kEvery / 2) return;
    samples_.push_back({now, totals});
    while (samples_.size() > 1 && now - samples_[1].at >= kWindow) {
      samples_.pop_front();
    }
  }

  // Returns the growth since the newest sample that is a minute old, given the
  // totals now; without such a sample since the beginning.
  Totals Growth(absl::Time now, const Totals& totals) const {
    const Sample* since = nullptr;
    for (const Sample& sample : samples_) {
      if (now - sample.at >= kWindow) since = &sample;
    }
    Totals growth = totals;
    if (since == nullptr) return growth;
    for (size_t i = 0; i < kCounters; ++i) {
      // A counter may have been made anew, with a server's network.
      growth[i] -= std::min(growth[i], since->totals[i]);
    }
    return growth;
  }

 private:
  struct Sample {
    absl::Time at;
    Totals totals;
  };
  std::deque<Sample> samples_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_LOAD_RECENT_COUNTS_H_
