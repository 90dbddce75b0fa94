#include "common/fleet/host_resolver.h"

#include <sys/eventfd.h>

#include "absl/strings/str_cat.h"
#include "common/fleet/dns_look_up.h"

namespace tributary {
namespace {

constexpr size_t kMaxWaiting = 64;

}  // namespace

SystemHostResolver::SystemHostResolver(HostResolverOptions options)
    : options_(std::move(options)),
      stop_event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

SystemHostResolver::~SystemHostResolver() {
  std::thread thread;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    thread.swap(thread_);
  }
  changed_.NotifyAll();
  eventfd_write(stop_event_.get(), 1);
  if (thread.joinable()) thread.join();
}

void SystemHostResolver::Resolve(const Address& name, Done done) {
  {
    MutexLock lock(mutex_);
    if (waiting_.size() < kMaxWaiting) {
      waiting_.emplace_back(name, std::move(done));
      if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
      return changed_.NotifyOne();
    }
  }
  done(absl::ResourceExhaustedError(absl::StrCat(
      "cannot resolve ", name.host, ": ", kMaxWaiting, " look-ups wait")));
}

std::optional<std::pair<Address, HostResolver::Done>>
SystemHostResolver::NextLookup() {
  MutexLock lock(mutex_);
  while (waiting_.empty() && !stopping_) changed_.Wait(mutex_);
  if (stopping_) return std::nullopt;
  auto next = std::move(waiting_.front());
  waiting_.pop_front();
  return next;
}

void SystemHostResolver::Run() {
  while (auto next = NextLookup()) {
    auto found = LookUpHost(next->first, options_, stop_event_.get());
    if (!found) return;
    next->second(*std::move(found));
  }
}

}  // namespace tributary
