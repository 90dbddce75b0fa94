#include "sampler_server/service/load/busy_meter.h"

#include <algorithm>

namespace tributary {
namespace {

constexpr absl::Duration kSampleInterval = absl::Seconds(1);

}  // namespace

void BusyMeter::Sample() {
  const BusyTimes times = times_();
  const absl::Time now = executor_->Now();
  {
    MutexLock lock(mutex_);
    sampling_.Add(now, times.sampling);
    leaf_.Add(now, times.leaf);
    rate_.Add(now, times.rate);
    cpu_.Add(now, times.cpu);
  }
  executor_->PostAfter(kSampleInterval, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Sample();
  });
}

double BusyMeter::Ratio() const {
  const BusyTimes times = times_();
  const absl::Time now = executor_->Now();
  MutexLock lock(mutex_);
  return std::max({sampling_.At(now, times.sampling), leaf_.At(now, times.leaf),
                   rate_.At(now, times.rate), cpu_.At(now, times.cpu)});
}

}  // namespace tributary
