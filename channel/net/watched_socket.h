// A stream's socket and its registration with the loop that watches it.
#ifndef TRIBUTARY_CHANNEL_NET_WATCHED_SOCKET_H_
#define TRIBUTARY_CHANNEL_NET_WATCHED_SOCKET_H_

#include <functional>
#include <memory>
#include <utility>

#include "absl/time/time.h"
#include "channel/net/socket_loop.h"
#include "common/io/unique_fd.h"

namespace tributary {

// Owns the socket. The loop holds the watcher from Watch to Unwatch, so the
// socket must not be closed in between; CloseUnlessWatched sees to that. The
// loop outlives this object, or DetachFromLoop is called before the loop ends;
// from then on the methods that need the loop do nothing.
//
// Not thread-safe: the stream calls it with its lock held.
class WatchedSocket {
 public:
  // `socket` may be invalid: then it is never watched.
  WatchedSocket(UniqueFd socket, SocketLoop* loop)
      : socket_(std::move(socket)), loop_(loop) {}

  // Takes a socket. Requires that it has none.
  void Take(UniqueFd socket) { socket_ = std::move(socket); }
  // -1 after it was closed.
  int fd() const { return socket_.get(); }

  // Begins to report events to `watcher`. Returns false if the system cannot
  // watch one more socket; true also if there is no socket or no loop.
  bool Watch(std::shared_ptr<SocketWatcher> watcher);
  // Sets whether OnWritable is wanted; also before Watch. False at first.
  void WantWritable(bool wanted);
  void Unwatch();

  // Shuts the socket down for writing: the other end reads what was written,
  // then the end.
  void ShutDownWriting();
  // Ends both directions, also for duplicates of the socket.
  void ShutDown();
  void CloseUnlessWatched();

  // As SocketLoop's; false, and `task` is dropped, after DetachFromLoop.
  bool Post(std::function<void()> task);
  bool PostAfter(absl::Duration delay, std::function<void()> task);
  // Requires that the socket is not watched.
  void DetachFromLoop() { loop_ = nullptr; }

 private:
  UniqueFd socket_;
  SocketLoop* loop_;  // null after DetachFromLoop
  bool watched_ = false;
  bool wants_writable_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_NET_WATCHED_SOCKET_H_
