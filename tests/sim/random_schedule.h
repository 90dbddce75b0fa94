// Schedules drawn from a seed.
#ifndef TRIBUTARY_TESTS_SIM_RANDOM_SCHEDULE_H_
#define TRIBUTARY_TESTS_SIM_RANDOM_SCHEDULE_H_

#include <cstdint>

#include "tests/sim/schedule.h"

namespace tributary {

// From one server without faults to eight with many; one in twenty is calm.
// No outage is longer than twenty seconds.
Schedule RandomSchedule(uint64_t seed);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_RANDOM_SCHEDULE_H_
