// The result of a simulated run.
#ifndef TRIBUTARY_TESTS_SIM_VERDICT_H_
#define TRIBUTARY_TESTS_SIM_VERDICT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/testing/sim_scheduler.h"

namespace tributary {

// A violated invariant.
struct SimFailure {
  std::string invariant;  // its name, equal for failures of one kind
  std::string what;       // details
  absl::Duration at;      // since the run began
  uint64_t event = 0;

  std::string ToString() const {
    return absl::StrCat(invariant, " at ", absl::FormatDuration(at), ", event ",
                        event, ": ", what);
  }
  friend bool operator==(const SimFailure&, const SimFailure&) = default;
};

// Remembers the first failure; the run stops there.
class Verdict {
 public:
  explicit Verdict(const SimScheduler* world)
      : world_(world), start_(world->now()) {}

  void Fail(absl::string_view invariant, std::string what) {
    if (failure_.has_value()) return;
    failure_ = {std::string(invariant), std::move(what), world_->now() - start_,
                world_->events_run()};
  }
  bool failed() const { return failure_.has_value(); }
  const std::optional<SimFailure>& failure() const { return failure_; }

 private:
  const SimScheduler* const world_;
  const absl::Time start_;
  std::optional<SimFailure> failure_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_VERDICT_H_
