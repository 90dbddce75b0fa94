#include "common/fleet/host_resolver.h"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

constexpr size_t kMaxWaiting = 64;

std::vector<Address> ToAddresses(const addrinfo* list, uint16_t port) {
  std::vector<Address> addresses;
  for (; list != nullptr; list = list->ai_next) {
    char host[NI_MAXHOST];
    if (getnameinfo(list->ai_addr, list->ai_addrlen, host, sizeof(host),
                    nullptr, 0, NI_NUMERICHOST) == 0) {
      addresses.push_back({host, port});
    }
  }
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()),
                  addresses.end());
  return addresses;
}

absl::StatusOr<std::vector<Address>> LookUp(const Address& name) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(name.host.c_str(), nullptr, &hints, &list);
  if (error != 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot resolve ", name.host, ": ", gai_strerror(error)));
  }
  std::vector<Address> addresses = ToAddresses(list, name.port);
  freeaddrinfo(list);
  return addresses;
}

}  // namespace

SystemHostResolver::~SystemHostResolver() {
  std::thread thread;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    thread.swap(thread_);
  }
  changed_.NotifyAll();
  if (thread.joinable()) thread.join();
}

void SystemHostResolver::Resolve(const Address& name, Done done) {
  bool full = false;
  {
    MutexLock lock(mutex_);
    full = waiting_.size() >= kMaxWaiting;
    if (!full) {
      waiting_.emplace_back(name, std::move(done));
      if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
    }
  }
  if (!full) return changed_.NotifyOne();
  done(absl::ResourceExhaustedError(absl::StrCat(
      "cannot resolve ", name.host, ": ", kMaxWaiting, " look-ups wait")));
}

void SystemHostResolver::Run() {
  while (true) {
    std::pair<Address, Done> next;
    {
      MutexLock lock(mutex_);
      while (waiting_.empty() && !stopping_) changed_.Wait(mutex_);
      if (stopping_) return;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    next.second(LookUp(next.first));
  }
}

}  // namespace tributary
