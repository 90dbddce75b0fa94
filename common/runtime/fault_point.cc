#include "common/runtime/fault_point.h"

#include <map>
#include <utility>

#include "common/runtime/mutex.h"

namespace tributary {
namespace {

struct Faults {
  Mutex mutex;
  std::map<std::string, absl::AnyInvocable<absl::Status()>, std::less<>> actions
      ABSL_GUARDED_BY(mutex);
};

Faults& ProcessFaults() {
  static Faults* const faults = new Faults;
  return *faults;
}

}  // namespace

namespace fault_internal {

std::atomic<int> num_faults{0};

absl::Status Hit(std::string_view name) {
  Faults& faults = ProcessFaults();
  MutexLock lock(faults.mutex);
  auto it = faults.actions.find(name);
  return it == faults.actions.end() ? absl::OkStatus() : it->second();
}

}  // namespace fault_internal

ScopedFault::ScopedFault(std::string name,
                         absl::AnyInvocable<absl::Status()> action)
    : name_(std::move(name)) {
  Faults& faults = ProcessFaults();
  MutexLock lock(faults.mutex);
  faults.actions[name_] = std::move(action);
  fault_internal::num_faults.store(static_cast<int>(faults.actions.size()));
}

ScopedFault::~ScopedFault() {
  Faults& faults = ProcessFaults();
  MutexLock lock(faults.mutex);
  faults.actions.erase(name_);
  fault_internal::num_faults.store(static_cast<int>(faults.actions.size()));
}

}  // namespace tributary
