#include "channel/net/connection_guard.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

constexpr uint64_t kDebtOfConnection = 1 << 20;
constexpr uint64_t kDebtPerStream = 12 << 20;
// What may arrive before the callback that counts its stream has run.
constexpr uint64_t kWindowOfStream = 4 << 20;
constexpr uint64_t kUnansweredAtMost = 2 * kWindowOfStream;
constexpr absl::Duration kOverAtMost = absl::Milliseconds(100);
constexpr absl::Duration kNewFor = absl::Seconds(1);

struct SocketBytes {
  uint64_t received = 0;
  uint64_t written = 0;  // whether or not the other end has them
};

// Returns nullopt for a socket that is not TCP.
std::optional<SocketBytes> BytesOf(int fd) {
  tcp_info info{};
  socklen_t bytes = sizeof(info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0) {
    return std::nullopt;
  }
  return SocketBytes{
      info.tcpi_bytes_received,
      info.tcpi_bytes_sent - info.tcpi_bytes_retrans + info.tcpi_notsent_bytes};
}

// Returns the bytes that the kernel holds, within limits of its own.
uint64_t UnreadBytes(int fd) {
  int bytes = 0;
  return ioctl(fd, FIONREAD, &bytes) == 0 ? static_cast<uint64_t>(bytes) : 0;
}

// Whether so much is no part of messages (connection_use.h says why), however
// many streams there are.
bool IsFlood(const ReceiveDebt& debt) {
  return debt.unanswered() > kUnansweredAtMost ||
         (debt.bytes() > kUnansweredAtMost && debt.echoed() > debt.bytes() / 4);
}

// Ends a connection for all who have its socket open. After this nothing is
// received on it any more.
void ShutDown(int fd) {
  shutdown(fd, SHUT_RDWR);
  if (!BytesOf(fd)) return;
  constexpr size_t kAll = 1 << 30;  // MSG_TRUNC drops them, for TCP
  while (recv(fd, nullptr, kAll, MSG_TRUNC | MSG_DONTWAIT) > 0) {
  }
}

}  // namespace

ConnectionGuard::ConnectionGuard(const ConnectionGuardOptions& options,
                                 RefusalCounter* refusals)
    : options_(options), refusals_(refusals) {}

void ConnectionGuard::Add(int fd, const std::string& share,
                          std::shared_ptr<ConnectionUse> use, absl::Time now) {
  guarded_[fd] = {share, std::move(use), now, {}};
  watched_.insert(fd);
}

void ConnectionGuard::Remove(int fd) {
  Count(guarded_[fd], 0);
  guarded_.erase(fd);
  watched_.erase(fd);
}

void ConnectionGuard::Clear() {
  guarded_.clear();
  watched_.clear();
  total_ = 0;
}

void ConnectionGuard::Count(Guarded& guarded, uint64_t bytes) {
  total_ += bytes - guarded.counted;
  guarded.counted = bytes;
}

std::vector<std::string> ConnectionGuard::CutOffenders(absl::Time now) {
  if (now >= next_slow_) {
    next_slow_ = now + kSlow;
    for (const auto& [fd, guarded] : guarded_) LookAt(fd, now);
  } else {
    for (int fd : std::vector<int>(watched_.begin(), watched_.end())) {
      LookAt(fd, now);
    }
  }
  while (total_ > options_.receive_memory) CutWorst();
  return std::exchange(cut_, {});
}

void ConnectionGuard::LookAt(int fd, absl::Time now) {
  Guarded& guarded = guarded_[fd];
  if (guarded.cut) return;
  if (guarded.use->hasty()) return Cut(fd, "hasty", WhatIsAllowed(guarded));
  const auto bytes = BytesOf(fd);
  if (bytes) {
    guarded.debt.Update(bytes->received, bytes->written,
                        guarded.use->accounted(), now);
    if (HoldsTooMuch(fd, guarded, now) || IsFlood(guarded.debt)) {
      return Cut(fd, "receive_memory", WhatIsAllowed(guarded));
    }
    if (guarded.debt.stalled() > options_.message_timeout) {
      return Cut(fd, "slow", WhatIsAllowed(guarded));
    }
  }
  if (now - guarded.added < kNewFor ||
      guarded.debt.bytes() > ReceiveDebt::kSmallDebt) {
    watched_.insert(fd);
  } else {
    watched_.erase(fd);
  }
}

bool ConnectionGuard::HoldsTooMuch(int fd, Guarded& guarded,
                                   absl::Time now) const {
  const uint64_t most =
      std::min(options_.receive_memory / 8,
               kDebtOfConnection + kDebtPerStream * guarded.use->streams());
  uint64_t held = guarded.debt.bytes();
  if (held > most) held -= std::min(held, UnreadBytes(fd));
  if (held <= most) {
    guarded.over_since = absl::InfiniteFuture();
    return false;
  }
  guarded.over_since = std::min(guarded.over_since, now);
  return held > most + kWindowOfStream ||
         now - guarded.over_since >= kOverAtMost;
}

// Cuts the worst connection of the host with most.
void ConnectionGuard::CutWorst() {
  std::map<std::string, uint64_t> of_hosts;
  for (const auto& [fd, guarded] : guarded_) {
    of_hosts[guarded.share] += guarded.counted;
  }
  const std::string& host =
      std::max_element(of_hosts.begin(), of_hosts.end(), [](auto& a, auto& b) {
        return a.second < b.second;
      })->first;
  int worst = -1;
  uint64_t most = 0;
  for (const auto& [fd, guarded] : guarded_) {
    if (guarded.share != host || guarded.counted <= most) continue;
    worst = fd;
    most = guarded.counted;
  }
  Cut(worst, "receive_memory", WhatIsAllowed(guarded_[worst]));
}

std::string ConnectionGuard::WhatIsAllowed(const Guarded& guarded) const {
  return absl::StrCat(
      "has ", guarded.use->streams(), " streams and sent ",
      guarded.debt.bytes(), " bytes that no message accounts for; allowed are ",
      options_.receive_memory, " of all connections, and ",
      ConnectionUse::kStreamsPerSecond, " new streams per second");
}

void ConnectionGuard::CutHog(int fd) {
  Cut(fd, "hog",
      "sends so much that the thread which passes it on is kept from other "
      "connections");
}

// Its end is then reported like any other.
void ConnectionGuard::Cut(int fd, const char* reason, const std::string& why) {
  Guarded& guarded = guarded_[fd];
  if (guarded.cut) return;
  guarded.cut = true;
  Count(guarded, 0);
  watched_.erase(fd);
  cut_.push_back(guarded.share);
  refusals_->Add(reason, absl::StrCat(guarded.share, ": ", why));
  ShutDown(fd);
}

}  // namespace tributary
