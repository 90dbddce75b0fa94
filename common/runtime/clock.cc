#include "common/runtime/clock.h"

#include <chrono>

namespace tributary {
namespace {

class SteadyClockImpl final : public Clock {
 public:
  absl::Time Now() const override {
    return absl::UnixEpoch() +
           absl::FromChrono(
               std::chrono::steady_clock::now().time_since_epoch());
  }
};

}  // namespace

const Clock& SteadyClock() {
  // Never destroyed: threads of other static objects may still ask for the time
  // while the process ends.
  static const auto& clock = *new SteadyClockImpl;
  return clock;
}

}  // namespace tributary
