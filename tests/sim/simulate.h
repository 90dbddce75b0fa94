// Runs a schedule and reports the first failure.
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
  uint64_t history = 0;  // a hash of all events: equal for equal runs
  // How long the epoch took after the last fault had ended.
  absl::Duration after_calm;
};

struct SimulateOptions {
  // One more invariant, checked after every event.
  std::function<bool(SimWorld&)> also;
};

// The longest that the epoch may take after the faults have ended.
inline constexpr absl::Duration kSimPatience = absl::Seconds(60);

// Runs the epochs of all jobs, from the first credit until everything that was
// reserved has been returned and no process has anything left to do.
SimResult Simulate(const Schedule& schedule,
                   const SimulateOptions& options = {});

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_SIMULATE_H_
