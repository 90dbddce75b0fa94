#include "trainer_client/core/recent_wait.h"

#include <algorithm>

namespace tributary {
namespace {

int64_t SecondOf(absl::Time time) { return absl::ToUnixSeconds(time); }

size_t BucketOf(int64_t second) {
  constexpr int64_t kSize = RecentWait::kSeconds;
  return static_cast<size_t>((second % kSize + kSize) % kSize);
}

}  // namespace

void RecentWait::Add(absl::Time from, absl::Time to) {
  const int64_t last = SecondOf(to);
  const int64_t first = std::max(SecondOf(from), last - kSeconds + 1);
  for (int64_t second = first; second <= last; ++second) {
    Bucket& bucket = buckets_[BucketOf(second)];
    if (bucket.second != second) bucket = {.second = second};
    bucket.waited += std::min(to, absl::FromUnixSeconds(second + 1)) -
                     std::max(from, absl::FromUnixSeconds(second));
  }
}

int64_t RecentWait::FirstSecond(absl::Time now) {
  return SecondOf(now) - kSeconds + 1;
}

absl::Duration RecentWait::WaitedIn(absl::Time now) const {
  const int64_t first = FirstSecond(now);
  absl::Duration waited;
  for (const Bucket& bucket : buckets_) {
    if (bucket.second >= first) waited += bucket.waited;
  }
  return waited;
}

double RecentWait::Ratio(absl::Time now) const {
  if (!begun_) return 0;
  const absl::Duration window =
      now - std::max(*begun_, absl::FromUnixSeconds(FirstSecond(now)));
  if (window <= absl::ZeroDuration()) return 0;
  return std::min(1.0, absl::FDivDuration(WaitedIn(now), window));
}

double RecentWait::MinuteRatio(absl::Time now) const {
  if (!begun_) return 0;
  const absl::Duration minute = absl::Seconds(kSeconds);
  if (now - *begun_ >= minute) return Ratio(now);
  return std::min(1.0, absl::FDivDuration(WaitedIn(now), minute));
}

}  // namespace tributary
