// Invariants that hold after every event.
#ifndef TRIBUTARY_TESTS_SIM_STEP_CHECKS_H_
#define TRIBUTARY_TESTS_SIM_STEP_CHECKS_H_

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "tests/sim/sim_world.h"

namespace tributary {

// Checks that budgets cover what is held and stay within their limits, that
// slots stay within the ring, and that no process with pending work is without
// a timer. Looks only at the node whose event has run: no other can have
// changed. Reports violations to the world's verdict. `world` outlives it.
class StepChecks {
 public:
  explicit StepChecks(SimWorld* world) : world_(world) {}

  void OnStep();
  // Returns a hash of all events: equal for equal runs.
  uint64_t history() const { return history_; }

 private:
  struct Wakefulness {
    absl::Time last_event = absl::InfinitePast();
    bool is_owed = false;  // after that event
  };
  void CheckServer(int number);
  void CheckTrainer(const SimSeat& seat);
  void CheckAwake(int node, bool is_owed, absl::Duration most,
                  const char* what);

  SimWorld* const world_;
  std::vector<Wakefulness> nodes_;
  uint64_t history_ = 14695981039346656037u;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_STEP_CHECKS_H_
