#include "channel/net/connection_handover.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/runtime/clock.h"

namespace tributary {
namespace {

std::chrono::steady_clock::time_point In(absl::Duration duration) {
  const absl::Duration most = std::min(duration, absl::Hours(1));
  return std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(most);
}

}  // namespace

ConnectionHandover::ConnectionHandover(PassOn pass_on)
    : pass_on_(std::move(pass_on)) {
  try {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      lanes_[lane].thread = std::thread([this, lane] { Run(lane); });
    }
  } catch (...) {  // no more threads
    End();
    throw;
  }
}

void ConnectionHandover::End() {
  Stop(absl::ZeroDuration());
  for (Lane& lane : lanes_) {
    if (lane.thread.joinable()) lane.thread.join();
  }
}

void ConnectionHandover::Add(NewcomerTurns::Newcomer newcomer) {
  MutexLock lock(mutex_);
  if (stopped_) return;
  turns_.Add(std::move(newcomer));
  changed_.NotifyAll();
}

void ConnectionHandover::Remove(const std::string& share, uint64_t id) {
  MutexLock lock(mutex_);
  turns_.Remove(share, id);
}

void ConnectionHandover::Punish(const std::string& share) {
  MutexLock lock(mutex_);
  turns_.Punish(share, SteadyClock().Now());
}

void ConnectionHandover::Run(size_t lane) {
  while (auto newcomer = Take(lane)) pass_on_(std::move(newcomer->fd), lane);
}

std::optional<NewcomerTurns::Newcomer> ConnectionHandover::Take(size_t lane) {
  MutexLock lock(mutex_);
  lanes_[lane].id.reset();
  changed_.NotifyAll();
  while (!stopped_) {
    const absl::Time now = SteadyClock().Now();
    // The first idle one takes it: TLS resumes sessions of its own lane alone.
    const bool first = std::all_of(
        lanes_.begin(), lanes_.begin() + static_cast<ptrdiff_t>(lane),
        [](const Lane& other) { return other.id.has_value(); });
    if (!first) {
      changed_.Wait(mutex_);
      continue;
    }
    if (auto next = turns_.Next(now)) {
      lanes_[lane].id = next->id;
      lanes_[lane].since = now;
      changed_.NotifyAll();  // the next lane's turn
      return next;
    }
    changed_.WaitUntil(mutex_, In(turns_.NextTime() - now));
  }
  return std::nullopt;
}

std::optional<uint64_t> ConnectionHandover::Hog() {
  MutexLock lock(mutex_);
  const absl::Time now = SteadyClock().Now();
  if (turns_.NextTime() > now || now - named_ < kLongest / 4) {
    return std::nullopt;
  }
  const Lane* longest = &lanes_[0];
  for (const Lane& lane : lanes_) {
    if (!lane.id) return std::nullopt;
    if (lane.since < longest->since) longest = &lane;
  }
  if (now - longest->since < kLongest) return std::nullopt;
  named_ = now;
  return longest->id;
}

std::vector<uint64_t> ConnectionHandover::Busy() const {
  std::vector<uint64_t> busy;
  for (const Lane& lane : lanes_) {
    if (lane.id) busy.push_back(*lane.id);
  }
  return busy;
}

std::vector<uint64_t> ConnectionHandover::Stop(absl::Duration patience) {
  const auto deadline = In(patience);
  MutexLock lock(mutex_);
  stopped_ = true;
  turns_.Clear();
  changed_.NotifyAll();
  while (!Busy().empty()) {
    if (!changed_.WaitUntil(mutex_, deadline)) break;
  }
  return Busy();
}

}  // namespace tributary
