// Limits how many calls each caller may make in a time.
#ifndef TRIBUTARY_SAMPLER_SERVER_STREAMS_CALL_RATES_H_
#define TRIBUTARY_SAMPLER_SERVER_STREAMS_CALL_RATES_H_

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>

#include "absl/time/time.h"
#include "common/runtime/mutex.h"

namespace tributary {

// A token bucket for each caller (Caller::share_key). The rate is far above
// that of an honest job, whose ranks each ask a server about once a second, and
// leaves nearly all of a core to others. Thread-safe.
class CallRates {
 public:
  static constexpr double kPerSecond = 1000;
  static constexpr double kBurst = 4000;

  // Counts a call. Returns false if the caller has made too many.
  bool Admit(const std::string& caller, absl::Time now) {
    MutexLock lock(mutex_);
    if (buckets_.size() >= kMaxCallers) ForgetFull(now);
    const auto [it, added] = buckets_.try_emplace(caller, Bucket{kBurst, now});
    Bucket& bucket = it->second;
    bucket = {TokensOf(bucket, now), std::max(bucket.at, now)};
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

 private:
  static constexpr size_t kMaxCallers = 1024;  // before it looks whom to forget
  struct Bucket {
    double tokens;
    absl::Time at;  // when `tokens` was right
  };

  static double TokensOf(const Bucket& bucket, absl::Time now) {
    const double seconds = absl::ToDoubleSeconds(now - bucket.at);
    return std::min(kBurst,
                    bucket.tokens + std::max(0.0, seconds) * kPerSecond);
  }
  void ForgetFull(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    std::erase_if(buckets_, [now](const auto& entry) {
      return TokensOf(entry.second, now) >= kBurst;
    });
  }

  Mutex mutex_;
  std::map<std::string, Bucket> buckets_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_STREAMS_CALL_RATES_H_
