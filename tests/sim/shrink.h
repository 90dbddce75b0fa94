// Reduces a failing schedule to a short one.
#ifndef TRIBUTARY_TESTS_SIM_SHRINK_H_
#define TRIBUTARY_TESTS_SIM_SHRINK_H_

#include <functional>

#include "tests/sim/schedule.h"

namespace tributary {

struct ShrinkOptions {
  int max_runs = 2000;
};

// Removes faults, nodes and batches, and resets numbers to their defaults, as
// long as `fails` returns true: delta debugging (Zeller, Hildebrandt 2002).
// Requires fails(schedule). Returns a schedule that fails and that no single
// step makes shorter, unless max_runs was reached.
Schedule Shrink(const Schedule& schedule,
                const std::function<bool(const Schedule&)>& fails,
                const ShrinkOptions& options = {});

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_SHRINK_H_
