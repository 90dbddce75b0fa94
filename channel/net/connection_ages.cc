#include "channel/net/connection_ages.h"

namespace tributary {

absl::Time ConnectionAges::EndOf(const std::string& peer, absl::Time now) {
  MutexLock lock(mutex_);
  Forget(now);
  const auto known = ends_.find(peer);
  if (known != ends_.end() && known->second > now) return known->second;
  const double jitter = absl::Uniform(random_, 0.0, 0.8);
  const absl::Time end = now + limits_.age + limits_.grace * jitter;
  ends_[peer] = end;
  order_.emplace_back(peer, end);
  return end;
}

void ConnectionAges::Forget(absl::Time now) {
  while (!order_.empty() &&
         (order_.front().second <= now || order_.size() >= kMaxConnections)) {
    const auto known = ends_.find(order_.front().first);
    // The port may belong to a newer connection.
    if (known != ends_.end() && known->second == order_.front().second) {
      ends_.erase(known);
    }
    order_.pop_front();
  }
}

}  // namespace tributary
