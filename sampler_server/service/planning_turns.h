// Lets no caller take all protocol threads by having sessions planned.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_PLANNING_TURNS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_PLANNING_TURNS_H_

#include <map>
#include <memory>
#include <string>

#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Gives each caller (Caller::share_key) one strand, on which all of its streams
// make their plans: one at a time, and between two of them the messages of
// others are handled. Thread-safe.
class PlanningTurns {
 public:
  std::shared_ptr<Strand> Of(const std::string& caller, Executor* executor) {
    MutexLock lock(mutex_);
    std::weak_ptr<Strand>& strand = strands_[caller];
    if (auto found = strand.lock()) return found;
    auto made = std::make_shared<Strand>(executor);
    strand = made;
    std::erase_if(strands_, [](const auto& s) { return s.second.expired(); });
    return made;
  }

 private:
  Mutex mutex_;
  // The streams of the callers keep them.
  std::map<std::string, std::weak_ptr<Strand>> strands_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_PLANNING_TURNS_H_
