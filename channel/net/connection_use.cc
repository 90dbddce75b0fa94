#include "channel/net/connection_use.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace tributary {
namespace {

// HTTP/2 and TLS add some 40 bytes to each of their pieces of up to 16 KiB.
constexpr uint64_t kBytesPerMessage = 64;
constexpr uint64_t kOverheadShift = 8;  // a 256th
constexpr uint64_t kForgivenPerSecond = 16 << 10;
constexpr uint64_t kForgivenOfWrittenShift = 12;  // a 4096th

// Returns the 16 bytes of an address, IPv4 as mapped, with the port.
std::string Key(const in6_addr& address, uint16_t port) {
  return absl::StrCat(
      std::string(reinterpret_cast<const char*>(address.s6_addr), 16), ":",
      port);
}

in6_addr Mapped(const in_addr& address) {
  in6_addr mapped{};
  mapped.s6_addr[10] = mapped.s6_addr[11] = 0xff;
  std::memcpy(mapped.s6_addr + 12, &address, 4);
  return mapped;
}

uint64_t MinusAtMost(uint64_t value, uint64_t less) {
  return value - std::min(value, less);
}

}  // namespace

bool ConnectionUse::OpenStream(absl::Time now) {
  streams_.fetch_add(1, std::memory_order_relaxed);
  MutexLock lock(mutex_);
  const double seconds = absl::ToDoubleSeconds(now - filled_);
  filled_ = now;
  tokens_ = std::min(kStreamBurst, tokens_ + seconds * kStreamsPerSecond) - 1;
  if (tokens_ < 0) hasty_ = true;
  return tokens_ >= 0;
}

void ConnectionUse::ReadMessage(size_t bytes) {
  accounted_.fetch_add(bytes + (bytes >> kOverheadShift) + kBytesPerMessage,
                       std::memory_order_relaxed);
}

std::string ConnectionTable::KeyOfPeer(const std::string& peer) {
  const size_t colon = peer.rfind(':');
  const size_t begin = peer.find(':');
  if (begin == peer.npos || colon == begin) return "";
  const uint16_t port =
      static_cast<uint16_t>(std::atoi(peer.c_str() + colon + 1));
  std::string host = peer.substr(begin + 1, colon - begin - 1);
  if (absl::StartsWith(peer, "ipv4:")) {
    in_addr address;
    if (inet_pton(AF_INET, host.c_str(), &address) != 1) return "";
    return Key(Mapped(address), port);
  }
  host = absl::StrReplaceAll(host,
                             {{"%5B", ""}, {"%5D", ""}, {"[", ""}, {"]", ""}});
  host.resize(std::min(host.size(), host.find('%')));  // the zone
  in6_addr address;
  if (inet_pton(AF_INET6, host.c_str(), &address) != 1) return "";
  return Key(address, port);
}

std::string ConnectionTable::KeyOfSocket(int fd) {
  sockaddr_storage name{};
  socklen_t bytes = sizeof(name);
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&name), &bytes) != 0) {
    return "";
  }
  if (name.ss_family == AF_INET) {
    const auto* ipv4 = reinterpret_cast<sockaddr_in*>(&name);
    return Key(Mapped(ipv4->sin_addr), ntohs(ipv4->sin_port));
  }
  if (name.ss_family != AF_INET6) return "";
  const auto* ipv6 = reinterpret_cast<sockaddr_in6*>(&name);
  return Key(ipv6->sin6_addr, ntohs(ipv6->sin6_port));
}

std::shared_ptr<ConnectionUse> ConnectionTable::Add(const std::string& key) {
  auto use = std::make_shared<ConnectionUse>();
  if (key.empty()) return use;
  MutexLock lock(mutex_);
  uses_[key] = use;
  return use;
}

void ConnectionTable::Remove(const std::string& key, const ConnectionUse* use) {
  MutexLock lock(mutex_);
  const auto it = uses_.find(key);
  // The same port may have connected again.
  if (it != uses_.end() && it->second.get() == use) uses_.erase(it);
}

std::shared_ptr<ConnectionUse> ConnectionTable::Find(
    const std::string& key) const {
  MutexLock lock(mutex_);
  const auto it = uses_.find(key);
  return it == uses_.end() ? nullptr : it->second;
}

uint64_t ReceiveDebt::Update(uint64_t received, uint64_t written,
                             uint64_t accounted, absl::Time now) {
  const double seconds =
      std::max(0.0, absl::ToDoubleSeconds(now - std::min(updated_, now)));
  const uint64_t forgiven =
      static_cast<uint64_t>(seconds * kForgivenPerSecond) +
      ((written >> kForgivenOfWrittenShift) -
       (written_ >> kForgivenOfWrittenShift)) +
      (accounted - accounted_);
  debt_ = MinusAtMost(debt_ + (received - received_), forgiven);
  if (debt_ <= kSmallDebt || accounted != accounted_) {
    stalled_ = absl::ZeroDuration();
  } else {
    stalled_ += absl::Seconds(seconds);
  }
  const bool answered = written != written_ || accounted != accounted_;
  unanswered_ = answered ? 0 : unanswered_ + (received - received_);
  echoed_ = accounted != accounted_ || debt_ <= kSmallDebt
                ? 0
                : echoed_ + (written - written_);
  received_ = received;
  written_ = written;
  accounted_ = accounted;
  updated_ = now;
  return debt_;
}

}  // namespace tributary
