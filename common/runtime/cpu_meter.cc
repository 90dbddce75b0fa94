#include "common/runtime/cpu_meter.h"

#include <time.h>

namespace tributary {

namespace {

absl::Duration TimeOf(clockid_t clock) {
  timespec spent{};
  clock_gettime(clock, &spent);
  return absl::DurationFromTimespec(spent);
}

}  // namespace

absl::Duration ThreadCpuTime() { return TimeOf(CLOCK_THREAD_CPUTIME_ID); }
absl::Duration ProcessCpuTime() { return TimeOf(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace tributary
