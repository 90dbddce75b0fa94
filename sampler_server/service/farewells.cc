#include "sampler_server/service/farewells.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {

absl::Status Farewells::Record(const Caller& caller, const std::string& job,
                               uint32_t client_rank, uint32_t num_clients) {
  if (num_clients_ == 0) return absl::OkStatus();
  const Role role = caller.identity.role;
  if (role == Role::kSampler || role == Role::kOperator) {
    return absl::PermissionDeniedError(
        absl::StrCat(caller.identity.ToString(),
                     " says farewell; only trainers may end a server so"));
  }
  if (num_clients != num_clients_ || client_rank >= num_clients) {
    return absl::InvalidArgumentError(absl::StrCat(
        "client ", client_rank, " of ", num_clients,
        " says farewell; this server was started with --num-clients ",
        num_clients_, "; allowed: clients 0 to ", num_clients_ - 1, " of ",
        num_clients_));
  }
  MutexLock lock(mutex_);
  const std::string key = caller.share_key();
  const auto said = said_.find(key);
  const bool full = said == said_.end()
                        ? said_.size() >= kMaxCallers
                        : said->second.size() >= kMaxJobsPerCaller &&
                              !said->second.contains(job);
  if (full) {
    return absl::ResourceExhaustedError(
        absl::StrCat("farewells of ", said_.size(), " callers; allowed are ",
                     kMaxCallers, ", of ", kMaxJobsPerCaller, " jobs each"));
  }
  said_[key].insert(job);
  gone_[job].insert(client_rank);
  return absl::OkStatus();
}

std::shared_ptr<const void> Farewells::CountStream(const Caller& caller) {
  if (num_clients_ == 0) return nullptr;
  std::string key = caller.share_key();
  {
    MutexLock lock(mutex_);
    ++present_[key].streams;
  }
  return std::shared_ptr<const void>(
      this, [self = shared_from_this(), key = std::move(key)](const void*) {
        self->OnStreamClosed(key);
      });
}

// Ends nothing inside this call, which may come from anywhere.
void Farewells::OnStreamClosed(const std::string& caller) {
  MutexLock lock(mutex_);
  Presence& presence = present_[caller];
  presence.left = executor_->Now();
  if (--presence.streams > 0) return;
  const absl::Time leave = OthersLeave();
  if (AJobHasGone()) NotifyLater(leave);
}

bool Farewells::HasGone(const std::string& job) const {
  const auto it = gone_.find(job);
  return it != gone_.end() && it->second.size() == num_clients_;
}

bool Farewells::AJobHasGone() const {
  for (const auto& [job, ranks] : gone_) {
    if (ranks.size() == num_clients_) return true;
  }
  return false;
}

bool Farewells::IsDone(const std::string& caller) const {
  const auto said = said_.find(caller);
  if (said == said_.end()) return false;
  for (const std::string& job : said->second) {
    if (!HasGone(job)) return false;
  }
  return true;
}

absl::Time Farewells::OthersLeave() {
  const absl::Time now = executor_->Now();
  absl::Time leave = absl::InfinitePast();
  for (auto it = present_.begin(); it != present_.end();) {
    const auto& [caller, presence] = *it;
    const absl::Time gone = presence.streams > 0 ? absl::InfiniteFuture()
                                                 : presence.left + kAbsence;
    if (gone <= now) {
      it = present_.erase(it);
      continue;
    }
    if (!IsDone(caller)) leave = std::max(leave, gone);
    ++it;
  }
  return leave;
}

void Farewells::NotifyLater(absl::Time when) {
  if (when == absl::InfiniteFuture() || std::exchange(timer_, true)) return;
  executor_->PostAt(std::max(when, executor_->Now()),
                    [weak = weak_from_this()] {
                      const auto self = weak.lock();
                      if (self == nullptr) return;
                      {
                        MutexLock lock(self->mutex_);
                        self->timer_ = false;
                      }
                      self->NotifyIfAllGone();
                    });
}

void Farewells::NotifyIfAllGone() {
  {
    MutexLock lock(mutex_);
    if (notified_ || num_clients_ == 0 || !AJobHasGone()) return;
    const absl::Time leave = OthersLeave();
    if (leave > executor_->Now()) return NotifyLater(leave);
    notified_ = true;
  }
  all_gone_();
}

}  // namespace tributary
