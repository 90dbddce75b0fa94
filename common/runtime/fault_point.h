// Named places in the code where a test can inject a failure, so that every
// failure path is exercised.
//
//   RETURN_IF_ERROR(FaultPoint("service.admit"));     // in the code
//   ScopedFault fault("service.admit", [] { return UnavailableError("x"); });
//
// While no fault is set, a point costs one relaxed load.
#ifndef TRIBUTARY_COMMON_RUNTIME_FAULT_POINT_H_
#define TRIBUTARY_COMMON_RUNTIME_FAULT_POINT_H_

#include <atomic>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"

namespace tributary {

namespace fault_internal {
extern std::atomic<int> num_faults;
absl::Status Hit(std::string_view name);
}  // namespace fault_internal

// Runs the action that a test has set for `name` and returns its status;
// returns OK if none is set. Thread-safe.
inline absl::Status FaultPoint(std::string_view name) {
  if (fault_internal::num_faults.load(std::memory_order_relaxed) == 0) {
    return absl::OkStatus();
  }
  return fault_internal::Hit(name);
}

// Marks a place that cannot fail, where a test stops or ends the process.
// Ignores the status that the action returns.
inline void CrashPoint(std::string_view name) {
  FaultPoint(name).IgnoreError();
}

// Sets the action of the point `name` while this object lives; only one may
// exist per name. The action runs on the thread that reaches the point, one
// call at a time, and must not reach a point or set a fault itself.
class ScopedFault {
 public:
  ScopedFault(std::string name, absl::AnyInvocable<absl::Status()> action);
  ~ScopedFault();
  ScopedFault(const ScopedFault&) = delete;
  ScopedFault& operator=(const ScopedFault&) = delete;

 private:
  const std::string name_;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RUNTIME_FAULT_POINT_H_
