// Makes a failing schedule short.
#ifndef TRIBUTARY_TESTS_SIM_SHRINK_H_
#define TRIBUTARY_TESTS_SIM_SHRINK_H_

#include <functional>

#include "tests/sim/schedule.h"

namespace tributary {

struct ShrinkOptions {
  int max_runs = 2000;
};

// Leaves out faults, nodes and batches, and puts numbers back to their least
// disturbing values, as long as `fails` still holds: delta debugging (Zeller,
// Hildebrandt 2002). Requires fails(schedule). The result fails, and no single
// step that is tried makes it shorter, unless max_runs was reached.
Schedule Shrink(const Schedule& schedule,
                const std::function<bool(const Schedule&)>& fails,
                const ShrinkOptions& options = {});

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_SHRINK_H_
