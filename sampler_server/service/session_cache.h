// The specifications that a server has seen lately.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_SESSION_CACHE_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_SESSION_CACHE_H_

#include <list>
#include <map>
#include <memory>

#include "common/mutex.h"
#include "common/sha256.h"
#include "sampler_server/engine/plan.h"

namespace tributary {

// By identity, shared by all streams; the one used longest ago goes first: its
// client is asked for it again. Thread-safe.
class SessionCache {
 public:
  explicit SessionCache(size_t capacity) : capacity_(capacity) {}

  // Null when it is not here.
  std::shared_ptr<const SamplingPlan> Find(const Sha256Digest& session) {
    MutexLock lock(mutex_);
    auto it = index_.find(session);
    if (it == index_.end()) return nullptr;
    by_use_.splice(by_use_.begin(), by_use_, it->second);
    return *it->second;
  }

  void Put(std::shared_ptr<const SamplingPlan> plan) {
    MutexLock lock(mutex_);
    auto it = index_.find(plan->session);
    if (it != index_.end()) by_use_.erase(it->second);
    by_use_.push_front(plan);
    index_[plan->session] = by_use_.begin();
    if (by_use_.size() <= capacity_) return;
    index_.erase(by_use_.back()->session);
    by_use_.pop_back();
  }

 private:
  using Plans = std::list<std::shared_ptr<const SamplingPlan>>;

  const size_t capacity_;
  Mutex mutex_;
  Plans by_use_ ABSL_GUARDED_BY(mutex_);  // latest first
  std::map<Sha256Digest, Plans::iterator> index_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_SESSION_CACHE_H_
