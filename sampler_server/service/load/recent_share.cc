#include "sampler_server/service/load/recent_share.h"

#include <algorithm>

namespace tributary {
namespace {

constexpr absl::Duration kLeastDistance = absl::Milliseconds(500);

}  // namespace

void RecentShare::Add(absl::Time now, absl::Duration total) {
  if (!samples_.empty() && now - samples_.back().at < kLeastDistance) return;
  samples_.push_back({now, total});
  while (samples_.size() > 1 && samples_[1].at <= now - kWindow) {
    samples_.pop_front();
  }
}

absl::Duration RecentShare::TotalAt(absl::Time when, const Sample& now) const {
  if (samples_.empty() || when <= samples_.front().at) {
    return samples_.empty() ? now.total : samples_.front().total;
  }
  const auto after =
      std::find_if(samples_.begin(), samples_.end(),
                   [when](const auto& s) { return s.at > when; });
  const Sample& next = after == samples_.end() ? now : *after;
  const Sample& before = *(after - 1);
  if (next.at <= before.at) return next.total;
  return before.total +
         (next.total - before.total) *
             absl::FDivDuration(when - before.at, next.at - before.at);
}

double RecentShare::At(absl::Time now, absl::Duration total) const {
  const absl::Duration used = total - TotalAt(now - kWindow, {now, total});
  return std::clamp(absl::FDivDuration(used, kWindow), 0.0, 1.0);
}

}  // namespace tributary
