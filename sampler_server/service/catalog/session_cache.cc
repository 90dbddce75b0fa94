#include "sampler_server/service/catalog/session_cache.h"

#include <utility>

#include "common/proto/session.pb.h"
#include "common/text/status.h"
#include "sampler_server/kinds/registry.h"

namespace tributary {

absl::StatusOr<Session> PlanSession(FindGraph find,
                                    const std::string& spec_bytes) {
  v1::SessionSpec spec;
  if (!spec.ParseFromString(spec_bytes)) {
    return absl::InvalidArgumentError("the specification cannot be parsed");
  }
  Session session;
  ASSIGN_OR_RETURN(session.graph, find(spec.content_digest()));
  ASSIGN_OR_RETURN(SamplingPlan plan,
                   MakePlan(session.graph->schema(), spec_bytes));
  session.plan = std::make_shared<const SamplingPlan>(std::move(plan));
  session.bytes = session.plan->bytes();
  return session;
}

Session SessionCache::Find(const SessionOwner& owner,
                           const Sha256Digest& session) {
  MutexLock lock(mutex_);
  const auto kept = owners_.find(owner);
  if (kept == owners_.end() || !kept->second.index.contains(session)) return {};
  const Session& found = sessions_.at(session).session;
  if (found.graph->gone) {
    Drop(session);
    return {};
  }
  Recent& by_use = kept->second.by_use;
  by_use.splice(by_use.begin(), by_use, kept->second.index.at(session));
  return found;
}

Session SessionCache::Keep(const SessionOwner& owner,
                           const Sha256Digest& session) {
  MutexLock lock(mutex_);
  const auto it = sessions_.find(session);
  if (it == sessions_.end()) return {};
  if (it->second.session.graph->gone) {
    Drop(session);
    return {};
  }
  const Session found = it->second.session;
  KeepLocked(owner, session);
  EvictBeyondLimits(owner, session);
  return found;
}

void SessionCache::Put(const SessionOwner& owner, Session session) {
  MutexLock lock(mutex_);
  const Sha256Digest digest = session.plan->session;
  const auto it = sessions_.find(digest);
  if (it == sessions_.end()) {
    bytes_ += CostOf(session);
    sessions_[digest].session = std::move(session);
  } else {
    it->second.session = std::move(session);  // of as many bytes
  }
  KeepLocked(owner, digest);
  EvictBeyondLimits(owner, digest);
}

void SessionCache::DropGone() {
  MutexLock lock(mutex_);
  for (auto it = sessions_.begin(); it != sessions_.end();) {
    const auto here = it++;
    if (here->second.session.graph->gone) Drop(here->first);
  }
}

void SessionCache::KeepLocked(const SessionOwner& owner,
                              const Sha256Digest& session) {
  Kept& kept = owners_[owner];
  const auto [it, added] = kept.index.try_emplace(session);
  if (!added) {
    kept.by_use.splice(kept.by_use.begin(), kept.by_use, it->second);
    return;
  }
  kept.by_use.push_front(session);
  it->second = kept.by_use.begin();
  Cached& cached = sessions_.at(session);
  kept.bytes += CostOf(cached.session);
  ++cached.owners;
  ++entries_;
}

void SessionCache::Release(Owners::iterator owner,
                           const Sha256Digest& session) {
  Kept& kept = owner->second;
  const auto entry = kept.index.find(session);
  if (entry == kept.index.end()) return;
  const auto cached = sessions_.find(session);
  const size_t cost = CostOf(cached->second.session);
  kept.bytes -= cost;
  kept.by_use.erase(entry->second);
  kept.index.erase(entry);
  --entries_;
  if (kept.index.empty()) owners_.erase(owner);
  if (--cached->second.owners > 0) return;
  bytes_ -= cost;
  sessions_.erase(cached);
}

void SessionCache::Drop(const Sha256Digest& session) {
  const Sha256Digest dropped = session;  // it may be a key that is erased
  for (auto it = owners_.begin(); it != owners_.end();) {
    Release(it++, dropped);
  }
}

// Owners are in the order of callers. `added` does not count, so that whoever
// comes to a full cache can use its session once; `to` loses a tie.
SessionCache::Owners::iterator SessionCache::LargestOwner(
    const SessionOwner& to, const Sha256Digest& added) {
  const size_t not_counted = CostOf(sessions_.at(added).session);
  const auto bytes_of = [&](Owners::iterator it) {
    return it->second.bytes - (it->first == to ? not_counted : 0);
  };
  auto largest = owners_.end();
  size_t most_of_caller = 0;
  for (auto first = owners_.begin(); first != owners_.end();) {
    auto largest_job = first;
    size_t of_caller = 0;
    auto it = first;
    for (; it != owners_.end() && it->first.caller == first->first.caller;
         ++it) {
      of_caller += bytes_of(it);
      if (bytes_of(it) > bytes_of(largest_job)) largest_job = it;
    }
    if (of_caller > most_of_caller ||
        (of_caller > 0 && of_caller == most_of_caller &&
         first->first.caller == to.caller)) {
      most_of_caller = of_caller;
      largest = largest_job;
    }
    first = it;
  }
  return largest;
}

void SessionCache::EvictBeyondLimits(const SessionOwner& to,
                                     const Sha256Digest& added) {
  while (sessions_.size() > capacity_ ||
         (bytes_ > kMaxBytes && sessions_.size() > 1) ||
         entries_ > kOwnersPerSession * capacity_) {
    const auto owner = LargestOwner(to, added);
    if (owner == owners_.end()) return;
    const Sha256Digest oldest = owner->second.by_use.back();
    Release(owner, oldest);
  }
}

}  // namespace tributary
