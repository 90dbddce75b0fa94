#include "channel/net/newcomer_turns.h"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace tributary {

void NewcomerTurns::Add(Newcomer newcomer) {
  auto& of_share = waiting_[newcomer.share];
  of_share.push_back(std::move(newcomer));
}

void NewcomerTurns::Remove(const std::string& share, uint64_t id) {
  const auto it = waiting_.find(share);
  if (it == waiting_.end()) return;
  std::erase_if(it->second, [id](const Newcomer& n) { return n.id == id; });
  if (it->second.empty()) waiting_.erase(it);
}

absl::Time NewcomerTurns::AllowedAt(const std::string& share) const {
  const auto it = offenders_.find(share);
  return it == offenders_.end() ? absl::InfinitePast() : it->second.until;
}

std::optional<NewcomerTurns::Newcomer> NewcomerTurns::Next(absl::Time now) {
  Forgive(now);
  auto it = waiting_.upper_bound(last_);
  for (size_t i = 0; i < waiting_.size(); ++i, ++it) {
    if (it == waiting_.end()) it = waiting_.begin();
    if (AllowedAt(it->first) > now) continue;
    while (it->second.size() > 1 &&
           now - it->second.front().added > kLongestInLine) {
      shutdown(it->second.front().fd.get(), SHUT_RDWR);
      it->second.pop_front();
    }
    Newcomer next = std::move(it->second.front());
    it->second.pop_front();
    if (it->second.empty()) waiting_.erase(it);
    last_ = next.share;
    const auto offender = offenders_.find(next.share);
    if (offender != offenders_.end()) {
      offender->second.until = now + offender->second.wait;
    }
    return next;
  }
  return std::nullopt;
}

absl::Time NewcomerTurns::NextTime() const {
  absl::Time next = absl::InfiniteFuture();
  for (const auto& [share, newcomers] : waiting_) {
    next = std::min(next, AllowedAt(share));
  }
  return next;
}

void NewcomerTurns::Punish(const std::string& share, absl::Time now) {
  Forgive(now);
  Offender& offender = offenders_[share];
  offender.wait = std::clamp(2 * offender.wait, kFirstWait, kLongestWait);
  offender.last = now;
  offender.until = now + offender.wait;
}

void NewcomerTurns::Forgive(absl::Time now) {
  std::erase_if(offenders_, [now](const auto& offender) {
    return now - offender.second.last >= kForgiven;
  });
  if (offenders_.size() <= kMostOffenders) return;
  offenders_.erase(std::min_element(offenders_.begin(), offenders_.end(),
                                    [](const auto& a, const auto& b) {
                                      return a.second.last < b.second.last;
                                    }));
}

}  // namespace tributary
