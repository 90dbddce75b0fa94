#include "channel/net/socket_loop.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/runtime/clock.h"

namespace tributary {
namespace {

constexpr int kEventsAtOnce = 64;
constexpr absl::Duration kLongestWait = absl::Seconds(60);

}  // namespace

absl::StatusOr<std::unique_ptr<SocketLoop>> SocketLoop::Start(
    const std::string& name) {
  UniqueFd epoll(epoll_create1(EPOLL_CLOEXEC));
  UniqueFd wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll.valid() || !wake.valid()) {
    return absl::ErrnoToStatus(errno, absl::StrCat(name, ": no descriptor"));
  }
  epoll_event event{.events = EPOLLIN, .data = {.fd = wake.get()}};
  if (epoll_ctl(epoll.get(), EPOLL_CTL_ADD, wake.get(), &event) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat(name, ": epoll_ctl"));
  }
  std::unique_ptr<SocketLoop> loop(
      new SocketLoop(std::move(epoll), std::move(wake)));
  try {
    loop->thread_ = std::thread([raw = loop.get()] { raw->Run(); });
  } catch (const std::system_error& error) {
    return absl::ResourceExhaustedError(
        absl::StrCat(name, ": no thread: ", error.what()));
  }
  pthread_setname_np(loop->thread_.native_handle(), name.substr(0, 15).c_str());
  return loop;
}

SocketLoop::~SocketLoop() {
  if (!thread_.joinable()) return;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  Wake();
  thread_.join();
  while (RunTasks()) {
  }
}

bool SocketLoop::Add(int fd, std::shared_ptr<SocketWatcher> watcher) {
  {
    MutexLock lock(mutex_);
    watchers_[fd] = std::move(watcher);
  }
  epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0) return true;
  Remove(fd);
  return false;
}

void SocketLoop::Remove(int fd) {
  std::shared_ptr<SocketWatcher> last;  // destroyed without the lock
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  MutexLock lock(mutex_);
  const auto it = watchers_.find(fd);
  if (it == watchers_.end()) return;
  last = std::move(it->second);
  watchers_.erase(it);
}

void SocketLoop::WantWritable(int fd, bool wanted) {
  epoll_event event{.events = EPOLLIN | (wanted ? EPOLLOUT : 0u),
                    .data = {.fd = fd}};
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void SocketLoop::Post(std::function<void()> task) {
  {
    MutexLock lock(mutex_);
    timers_.emplace(absl::InfinitePast(), std::move(task));
  }
  Wake();
}

void SocketLoop::PostAfter(absl::Duration delay, std::function<void()> task) {
  {
    MutexLock lock(mutex_);
    timers_.emplace(SteadyClock().Now() + delay, std::move(task));
  }
  Wake();
}

void SocketLoop::Wake() {
  const uint64_t one = 1;
  // Fails only if the counter is full, and then the loop wakes up as well.
  [[maybe_unused]] const auto n = write(wake_.get(), &one, sizeof(one));
}

// Returns the milliseconds to wait for events.
int SocketLoop::Timeout() {
  MutexLock lock(mutex_);
  if (stopping_) return 0;
  absl::Duration wait = kLongestWait;
  if (!timers_.empty()) {
    wait = std::clamp(timers_.begin()->first - SteadyClock().Now(),
                      absl::ZeroDuration(), kLongestWait);
  }
  return static_cast<int>(
      absl::ToInt64Milliseconds(absl::Ceil(wait, absl::Milliseconds(1))));
}

void SocketLoop::Run() {
  epoll_event events[kEventsAtOnce];
  while (true) {
    const int n = epoll_wait(epoll_.get(), events, kEventsAtOnce, Timeout());
    {
      MutexLock lock(mutex_);
      if (stopping_) return;
    }
    for (int i = 0; i < n; ++i) Dispatch(events[i].data.fd, events[i].events);
    RunTasks();
  }
}

void SocketLoop::Dispatch(int fd, uint32_t events) {
  if (fd == wake_.get()) {
    uint64_t count = 0;
    [[maybe_unused]] const auto n = read(fd, &count, sizeof(count));
    return;
  }
  std::shared_ptr<SocketWatcher> watcher;
  {
    MutexLock lock(mutex_);
    const auto it = watchers_.find(fd);
    if (it == watchers_.end()) return;
    watcher = it->second;
  }
  if ((events & EPOLLOUT) != 0) watcher->OnWritable();
  if ((events & ~uint32_t{EPOLLOUT}) != 0) watcher->OnReadable();
}

// Runs the tasks and timers that are due; returns false if there are none.
bool SocketLoop::RunTasks() {
  std::vector<std::function<void()>> due;
  {
    MutexLock lock(mutex_);
    const auto end = timers_.upper_bound(SteadyClock().Now());
    for (auto it = timers_.begin(); it != end; ++it) {
      due.push_back(std::move(it->second));
    }
    timers_.erase(timers_.begin(), end);
  }
  for (const auto& task : due) task();
  return !due.empty();
}

}  // namespace tributary
