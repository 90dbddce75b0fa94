// An event loop: one thread that waits for sockets and runs posted tasks.
#ifndef TRIBUTARY_CHANNEL_NET_SOCKET_LOOP_H_
#define TRIBUTARY_CHANNEL_NET_SOCKET_LOOP_H_

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

// Receives the events of one descriptor, on the loop's thread.
class SocketWatcher {
 public:
  virtual ~SocketWatcher() = default;
  // Bytes can be read, or the other end has closed.
  virtual void OnReadable() = 0;
  virtual void OnWritable() = 0;
};

// Runs events (epoll), tasks and timers one at a time on its thread.
// Thread-safe; the functions it calls may call it.
class SocketLoop {
 public:
  // Starts the thread, which the system shows under the first 15 characters of
  // `name`. Returns RESOURCE_EXHAUSTED if the system grants no thread, and the
  // system's error if it grants no descriptor.
  static absl::StatusOr<std::unique_ptr<SocketLoop>> Start(
      const std::string& name);
  // Joins the thread; must not run on it. Watchers are called no more. Posted
  // tasks, and those they post, run on the calling thread; timers that are not
  // due are dropped.
  ~SocketLoop();

  // Begins to watch `fd`. Keeps `watcher` until Remove, and longer while a call
  // of it is running. `fd` must stay open until Remove. Returns false if the
  // system cannot watch it.
  bool Add(int fd, std::shared_ptr<SocketWatcher> watcher);
  void Remove(int fd);
  // Sets whether OnWritable is called; it is not at first.
  void WantWritable(int fd, bool wanted);

  // Runs `task` on the loop's thread, soon or after `delay`.
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
      ABSL_GUARDED_BY(mutex_);  // by due time; tasks: InfinitePast
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_NET_SOCKET_LOOP_H_
