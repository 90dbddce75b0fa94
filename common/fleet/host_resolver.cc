#include "common/fleet/host_resolver.h"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

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

// One look-up. A thread of glibc writes into it until the look-up has ended.
class LookUp {
 public:
  explicit LookUp(const Address& name) : name_(name) {
    hints_.ai_socktype = SOCK_STREAM;
    control_.ar_name = name_.host.c_str();
    control_.ar_request = &hints_;
  }
  ~LookUp() {
    if (control_.ar_result != nullptr) freeaddrinfo(control_.ar_result);
  }
  LookUp(const LookUp&) = delete;
  LookUp& operator=(const LookUp&) = delete;

  // Returns false if the system cannot start the look-up.
  bool Start() {
    gaicb* list[] = {&control_};
    begin_error_ = getaddrinfo_a(GAI_NOWAIT, list, 1, nullptr);
    return begin_error_ == 0;
  }
  // Waits up to kWaitStep; returns true if the look-up has ended.
  bool Wait() const {
    const gaicb* const list[] = {&control_};
    const timespec step = absl::ToTimespec(kWaitStep);
    gai_suspend(list, 1, &step);
    return ended();
  }
  bool ended() const {
    return gai_error(const_cast<gaicb*>(&control_)) != EAI_INPROGRESS;
  }
  // Returns true if glibc will not write into this object any more.
  bool Cancel() { return gai_cancel(&control_) != EAI_NOTCANCELED; }

  absl::StatusOr<std::vector<Address>> result() {
    const int error = begin_error_ != 0 ? begin_error_ : gai_error(&control_);
    if (error == 0) return ToAddresses(control_.ar_result, name_.port);
    return absl::UnavailableError(
        absl::StrCat("cannot resolve ", name_.host, ": ", gai_strerror(error)));
  }

 private:
  // gai_suspend cannot be woken, so a destructor may wait for this long.
  static constexpr absl::Duration kWaitStep = absl::Milliseconds(20);

  const Address name_;
  addrinfo hints_{};
  gaicb control_{};
  int begin_error_ = 0;
};

// Keeps a look-up that nobody waits for, since glibc's thread still writes into
// it. The first call after its end destroys it; otherwise it lives until the
// process ends.
void Abandon(std::unique_ptr<LookUp> look_up) {
  static Mutex* const mutex = new Mutex;
  static auto* const abandoned = new std::vector<std::unique_ptr<LookUp>>;
  MutexLock lock(*mutex);
  abandoned->erase(
      std::remove_if(abandoned->begin(), abandoned->end(),
                     [](const auto& look_up) { return look_up->ended(); }),
      abandoned->end());
  abandoned->push_back(std::move(look_up));
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
    auto look_up = std::make_unique<LookUp>(next.first);
    if (look_up->Start()) {
      while (!look_up->Wait()) {
        if (!stopping()) continue;
        if (!look_up->Cancel()) Abandon(std::move(look_up));
        return;
      }
    }
    next.second(look_up->result());
  }
}

bool SystemHostResolver::stopping() {
  MutexLock lock(mutex_);
  return stopping_;
}

}  // namespace tributary
