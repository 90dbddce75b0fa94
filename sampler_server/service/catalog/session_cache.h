// The sampling sessions that a server knows, planned.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_CATALOG_SESSION_CACHE_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_CATALOG_SESSION_CACHE_H_

#include <algorithm>
#include <compare>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "common/hash/sha256.h"
#include "common/runtime/mutex.h"
#include "sampler_server/engine/plan/plan.h"
#include "sampler_server/service/catalog/graph_catalog.h"

namespace tributary {

// A sampling specification, planned on its graph.
struct Session {
  std::shared_ptr<const SamplingPlan> plan;  // null: there is none
  std::shared_ptr<HeldGraph> graph;
  size_t bytes = 0;  // of the plan, with its tables
};

// Finds a graph by the bytes of its content digest.
using FindGraph = absl::FunctionRef<absl::StatusOr<std::shared_ptr<HeldGraph>>(
    const std::string& content_digest)>;

// Parses a specification and plans it on the graph that it names. Errors are
// INVALID_ARGUMENT when it cannot be parsed, and those of `find` and MakePlan.
absl::StatusOr<Session> PlanSession(FindGraph find,
                                    const std::string& spec_bytes);

// Who keeps a session in the cache: a job of a caller (Caller::share_key).
struct SessionOwner {
  std::string caller;
  std::string job;
  friend auto operator<=>(const SessionOwner&, const SessionOwner&) = default;
};

// A cache of sessions by the SHA-256 of their bytes, shared by all streams.
// Sessions are kept by those who opened them; one that several opened is cached
// once. When too many are cached, the caller that keeps the most loses one: of
// its job that keeps the most, the one used longest ago. So a caller that opens
// many evicts its own, and one that keeps no more than its equal part keeps
// them. A session is counted by its bytes, and as a large one if it is small;
// the one that was opened just now is not counted, so that each of more callers
// than there are places can use its session.
//
// The client of an evicted session is asked for it again; batches that use its
// plan keep it. Thread-safe.
class SessionCache {
 public:
  static constexpr size_t kMaxBytes = size_t{64} << 20;  // of plans
  // How many owners may keep a session, on average: their entries are small.
  static constexpr size_t kOwnersPerSession = 16;

  // `capacity`: the most sessions.
  explicit SessionCache(size_t capacity)
      : capacity_(capacity), least_bytes_(kMaxBytes / capacity) {}

  // Returns a session that `owner` keeps; without a plan if it keeps none of
  // that digest or the session's graph has left the catalog.
  Session Find(const SessionOwner& owner, const Sha256Digest& session);
  // Makes `owner` keep a session that is cached, and returns it; without a plan
  // if there is none.
  Session Keep(const SessionOwner& owner, const Sha256Digest& session);
  // Adds a session that `owner` keeps, or replaces the one of the same digest.
  void Put(const SessionOwner& owner, Session session);

  // Evicts the sessions whose graph has left the catalog, which frees the
  // graph.
  void DropGone();

  // Returns how many sessions are cached.
  size_t size() const {
    MutexLock lock(mutex_);
    return sessions_.size();
  }

 private:
  struct Cached {
    Session session;
    size_t owners = 0;
  };
  // Most recently used first.
  using Recent = std::list<Sha256Digest>;
  struct Kept {
    Recent by_use;
    std::map<Sha256Digest, Recent::iterator> index;
    size_t bytes = 0;
  };
  using Owners = std::map<SessionOwner, Kept>;

  size_t CostOf(const Session& session) const {
    return std::max(session.bytes, least_bytes_);
  }
  void KeepLocked(const SessionOwner& owner, const Sha256Digest& session)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ends an owner's keeping of a session.
  void Release(Owners::iterator owner, const Sha256Digest& session)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Drop(const Sha256Digest& session) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Of the caller that keeps the most, the job that does; end() if there is
  // nothing but what was added.
  Owners::iterator LargestOwner(const SessionOwner& to,
                                const Sha256Digest& added)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // A session was added, to those that an owner keeps.
  void EvictBeyondLimits(const SessionOwner& to, const Sha256Digest& added)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t capacity_;
  const size_t least_bytes_;
  mutable Mutex mutex_;
  std::map<Sha256Digest, Cached> sessions_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;    // of sessions_, by CostOf
  Owners owners_ ABSL_GUARDED_BY(mutex_);       // that keep any
  size_t entries_ ABSL_GUARDED_BY(mutex_) = 0;  // of owners_
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_CATALOG_SESSION_CACHE_H_
