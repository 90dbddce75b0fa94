// Random schedules for the simulation.
#ifndef TRIBUTARY_TESTS_SIM_RANDOM_SCHEDULE_H_
#define TRIBUTARY_TESTS_SIM_RANDOM_SCHEDULE_H_

#include <cstdint>

#include "tests/sim/schedule.h"

namespace tributary {

// Returns the schedule of a seed: from one server without faults to eight with
// many; one in twenty has no faults. No outage is longer than 20 s.
Schedule RandomSchedule(uint64_t seed);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_RANDOM_SCHEDULE_H_
