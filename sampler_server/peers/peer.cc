#include "sampler_server/peers/peer.h"

#include <algorithm>
#include <utility>

namespace tributary {
namespace {

constexpr absl::Duration kLeastAlone = absl::Seconds(1);
constexpr absl::Duration kMostAlone = absl::Seconds(30);

}  // namespace

bool Peer::healthy() const {
  MutexLock lock(mutex_);
  return problem_.ok();
}

bool Peer::Owns(uint32_t partition) const {
  MutexLock lock(mutex_);
  return std::binary_search(partitions_.begin(), partitions_.end(), partition);
}

bool Peer::draining() const {
  MutexLock lock(mutex_);
  return draining_;
}

absl::Status Peer::problem() const {
  MutexLock lock(mutex_);
  return problem_;
}

v1::PeerState Peer::State() const {
  MutexLock lock(mutex_);
  v1::PeerState state;
  state.set_address(address_.ToString());
  state.set_healthy(problem_.ok());
  for (uint32_t partition : partitions_) state.add_partitions(partition);
  return state;
}

std::shared_ptr<CallClient> Peer::Leaf() {
  {
    MutexLock lock(mutex_);
    if (leaf_ != nullptr && leaf_->open()) return leaf_;
  }
  // Not under the lock, since connecting may take long. Of two concurrent
  // callers the first to have connected provides the stream for both.
  auto opened = std::make_shared<CallClient>(transport_, address_,
                                             StreamMethod::kLeaf, executor_);
  std::shared_ptr<CallClient> unused;  // destroyed without the lock
  MutexLock lock(mutex_);
  const bool late = leaf_ != nullptr && leaf_->open();
  unused = late ? std::move(opened) : std::exchange(leaf_, std::move(opened));
  return leaf_;
}

bool Peer::left_alone(absl::Time now) const {
  MutexLock lock(mutex_);
  return now < alone_until_;
}

bool Peer::LeaveAlone(absl::Time now) {
  MutexLock lock(mutex_);
  if (now < alone_until_) return false;
  const bool again = now < alone_until_ + kMostAlone;
  alone_for_ = again ? std::min(2 * alone_for_, kMostAlone) : kLeastAlone;
  alone_until_ = now + alone_for_;
  return true;
}

void Peer::RenewLeaf() {
  std::shared_ptr<CallClient> leaf;  // destroyed without the lock
  MutexLock lock(mutex_);
  leaf = std::move(leaf_);
}

void Peer::SetHealthy(std::vector<uint32_t> partitions, bool draining) {
  std::sort(partitions.begin(), partitions.end());
  MutexLock lock(mutex_);
  problem_ = absl::OkStatus();
  partitions_ = std::move(partitions);
  draining_ = draining;
}

void Peer::SetProblem(absl::Status why) {
  std::shared_ptr<CallClient> leaf;
  {
    MutexLock lock(mutex_);
    problem_ = why;
    leaf = std::move(leaf_);
  }
  if (leaf != nullptr) leaf->Close(std::move(why));
}

}  // namespace tributary
