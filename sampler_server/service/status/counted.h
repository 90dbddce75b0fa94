// The events that troubles count.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_STATUS_COUNTED_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_STATUS_COUNTED_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "common/runtime/mutex.h"
#include "sampler_server/service/load/recent_counts.h"

namespace tributary {

// Places in CountedTotals. The reasons of connections, from kConnections on,
// are in the order of kConnectionReasons.
enum Counted : size_t {
  kCreditsRefused,  // of any reason, a full queue among them
  kRefusedPolicy,
  kRefusedJob,
  kRefusedQueue,
  kRefusedFarewell,
  kRefusedAttempt,
  kLeafErrors,
  kHeldUp,
  kUnread,
  kFlooded,
  kDiskErrors,
  kStreamsTooMany,
  kStreamsOfCaller,
  kConnections,
};

// As in docs/metrics.md, without given_up: probes of ports do so all the time.
inline constexpr absl::string_view kConnectionReasons[] = {
    "no_certificate", "untrusted", "expired",     "wrong_name",
    "wrong_role",     "not_tls",   "tls",         "too_many",
    "host_share",     "uid",       "descriptors", "receive_memory",
    "slow",           "hasty",     "hog",         "other"};
inline constexpr size_t kNumCounted = kConnections + 16;

// How often each has happened, or its growth.
using CountedTotals = std::array<uint64_t, kNumCounted>;

// Remembers totals for a minute. Thread-safe.
class CountedHistory {
 public:
  // See RecentCounts.
  void Sample(absl::Time now, const CountedTotals& totals) {
    MutexLock lock(mutex_);
    counts_.Add(now, totals);
  }
  CountedTotals LastMinute(absl::Time now, const CountedTotals& totals) const {
    MutexLock lock(mutex_);
    return counts_.Growth(now, totals);
  }

 private:
  mutable Mutex mutex_;
  RecentCounts<kNumCounted> counts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_STATUS_COUNTED_H_
