// Runs a schedule and says what was wrong.
#ifndef TRIBUTARY_TESTS_SIM_SIMULATE_H_
#define TRIBUTARY_TESTS_SIM_SIMULATE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "tests/sim/coverage.h"
#include "tests/sim/schedule.h"
#include "tests/sim/verdict.h"

namespace tributary {

class SimWorld;

struct SimResult {
  std::optional<SimFailure> failure;  // the first one
  SimCoverage coverage;
  uint64_t history = 0;  // of all events: equal for equal runs
  // How long the epoch took once the last fault had passed.
  absl::Duration after_calm;
};

struct SimulateOptions {
  // Holds after every event, beside all else; a failure names it.
  std::function<bool(SimWorld&)> also;
};

// Once the faults have passed the epoch ends within this.
inline constexpr absl::Duration kSimPatience = absl::Seconds(60);

// The epochs of all jobs, from the first credit until everything that was
// taken has been given back and no process has anything to do.
SimResult Simulate(const Schedule& schedule,
                   const SimulateOptions& options = {});

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_SIMULATE_H_
