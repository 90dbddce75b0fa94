// One thread that waits for sockets.
#ifndef TRIBUTARY_CHANNEL_SHM_SOCKET_LOOP_H_
#define TRIBUTARY_CHANNEL_SHM_SOCKET_LOOP_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/io/unique_fd.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Told of its descriptor on the loop's thread.
class SocketWatcher {
 public:
  virtual ~SocketWatcher() = default;
  // There is something to read, or the end.
  virtual void OnReadable() = 0;
  virtual void OnWritable() = 0;
};

// epoll, tasks and timers, one after the other. Thread-safe; what it calls may
// call it.
class SocketLoop {
 public:
  // RESOURCE_EXHAUSTED: the system grants no descriptor or thread. `name` is
  // shown by the system (15 characters).
  static absl::StatusOr<std::unique_ptr<SocketLoop>> Start(
      const std::string& name);
  // Not from the loop's thread. Watchers hear no more; tasks that were posted
  // are run, here, and what they post; timers that are not due are dropped.
  ~SocketLoop();

  // Holds `watcher` until Remove, and through a call under way. `fd` stays
  // open meanwhile. False where the system cannot watch it.
  bool Add(int fd, std::shared_ptr<SocketWatcher> watcher);
  void Remove(int fd);
  // Whether OnWritable is wanted; not at first.
  void WantWritable(int fd, bool wanted);

  void Post(std::function<void()> task);
  void PostAfter(absl::Duration delay, std::function<void()> task);

 private:
  SocketLoop(UniqueFd epoll, UniqueFd wake)
      : epoll_(std::move(epoll)), wake_(std::move(wake)) {}

  void Run();
  int Timeout();
  void Dispatch(int fd, uint32_t events);
  bool RunTasks();
  void Wake();

  const UniqueFd epoll_, wake_;
  Mutex mutex_;
  std::map<int, std::shared_ptr<SocketWatcher>> watchers_
      ABSL_GUARDED_BY(mutex_);
  std::multimap<absl::Time, std::function<void()>> timers_
      ABSL_GUARDED_BY(mutex_);  // tasks: due since ever
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_SHM_SOCKET_LOOP_H_
