#include "sampler_server/peers/peer_statuses.h"

#include <utility>

namespace tributary {

void PeerStatuses::Look(absl::Time now) {
  MutexLock lock(mutex_);
  if (now - looked_ >= kAskFor) since_ = now;
  looked_ = now;
}

bool PeerStatuses::Wanted(absl::Time now) {
  MutexLock lock(mutex_);
  if (now - looked_ >= kKeepFor) {
    kept_.clear();
    bytes_ = 0;
  }
  return now - looked_ < kAskFor;
}

void PeerStatuses::Set(const std::string& address, std::string status,
                       absl::Time now) {
  const size_t bytes = address.size() + status.size();
  MutexLock lock(mutex_);
  Drop(address);
  if (status.empty() || status.size() > kMaxBytes) return;
  if (bytes_ + bytes > kMaxTotalBytes) DropOld(now);
  if (bytes_ + bytes > kMaxTotalBytes) return;
  bytes_ += bytes;
  kept_[address] = {std::move(status), now};
}

std::optional<v1::ServerStatus> PeerStatuses::Get(const std::string& address,
                                                  absl::Time now) const {
  std::string bytes;
  {
    MutexLock lock(mutex_);
    const auto found = kept_.find(address);
    if (found == kept_.end() || now - found->second.at > kFresh) return {};
    bytes = found->second.status;
  }
  v1::ServerStatus status;
  if (!status.ParseFromString(bytes)) return {};
  return status;
}

bool PeerStatuses::settled(absl::Time now) const {
  MutexLock lock(mutex_);
  return now - since_ >= kFirstAnswer;
}

size_t PeerStatuses::bytes() const {
  MutexLock lock(mutex_);
  return bytes_;
}

void PeerStatuses::Drop(const std::string& address) {
  const auto found = kept_.find(address);
  if (found == kept_.end()) return;
  bytes_ -= address.size() + found->second.status.size();
  kept_.erase(found);
}

void PeerStatuses::DropOld(absl::Time now) {
  for (auto it = kept_.begin(); it != kept_.end();) {
    if (now - it->second.at <= kFresh) {
      ++it;
      continue;
    }
    bytes_ -= it->first.size() + it->second.status.size();
    it = kept_.erase(it);
  }
}

}  // namespace tributary
