// The sampling sessions that a server knows, planned.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_SESSION_CACHE_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_SESSION_CACHE_H_

#include <list>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/hash/sha256.h"
#include "common/runtime/mutex.h"
#include "sampler_server/engine/plan/plan.h"
#include "sampler_server/service/graph_catalog.h"

namespace tributary {

// A sampling specification, planned on its graph.
struct Session {
  std::shared_ptr<const SamplingPlan> plan;  // null: there is none
  std::shared_ptr<HeldGraph> graph;
};

// Parses a specification and plans it on the graph that it names. Errors are
// INVALID_ARGUMENT when it cannot be parsed, and those of
// GraphCatalog::WithContent and MakePlan.
absl::StatusOr<Session> PlanSession(const GraphCatalog& graphs,
                                    const std::string& spec_bytes);

// An LRU cache of sessions by the SHA-256 of their bytes, shared by all
// streams. The client of an evicted session is asked for it again. Thread-safe.
class SessionCache {
 public:
  explicit SessionCache(size_t capacity) : capacity_(capacity) {}

  // Returns a session without a plan if it is not cached or its graph has left
  // the catalog.
  Session Find(const Sha256Digest& session) {
    MutexLock lock(mutex_);
    auto it = index_.find(session);
    if (it == index_.end()) return {};
    if (it->second->graph->gone) {
      Drop(it);
      return {};
    }
    by_use_.splice(by_use_.begin(), by_use_, it->second);
    return *it->second;
  }

  // Adds a session, or replaces the one of the same digest.
  void Put(Session session) {
    MutexLock lock(mutex_);
    auto it = index_.find(session.plan->session);
    if (it != index_.end()) Drop(it);
    by_use_.push_front(std::move(session));
    index_[by_use_.front().plan->session] = by_use_.begin();
    if (by_use_.size() > capacity_) {
      Drop(index_.find(by_use_.back().plan->session));
    }
  }

  // Evicts the sessions whose graph has left the catalog, which frees the
  // graph.
  void DropGone() {
    MutexLock lock(mutex_);
    for (auto it = index_.begin(); it != index_.end();) {
      const auto here = it++;
      if (here->second->graph->gone) Drop(here);
    }
  }

 private:
  using Sessions = std::list<Session>;
  using Index = std::map<Sha256Digest, Sessions::iterator>;

  void Drop(Index::iterator it) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    by_use_.erase(it->second);
    index_.erase(it);
  }

  const size_t capacity_;
  Mutex mutex_;
  Sessions by_use_ ABSL_GUARDED_BY(mutex_);  // most recently used first
  Index index_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_SESSION_CACHE_H_
