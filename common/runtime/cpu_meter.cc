#include "common/runtime/cpu_meter.h"

#include <time.h>

namespace tributary {

absl::Duration ThreadCpuTime() {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return absl::DurationFromTimespec(spent);
}

}  // namespace tributary
