#include "channel/net/watched_socket.h"

#include <sys/socket.h>

namespace tributary {

bool WatchedSocket::Watch(std::shared_ptr<SocketWatcher> watcher) {
  if (loop_ == nullptr || !socket_.valid()) return true;
  watched_ = loop_->Add(socket_.get(), std::move(watcher));
  if (watched_ && wants_writable_) loop_->WantWritable(socket_.get(), true);
  return watched_;
}

void WatchedSocket::WantWritable(bool wanted) {
  if (std::exchange(wants_writable_, wanted) == wanted) return;
  if (watched_) loop_->WantWritable(socket_.get(), wanted);
}

void WatchedSocket::Unwatch() {
  if (std::exchange(watched_, false)) loop_->Remove(socket_.get());
}

void WatchedSocket::ShutDownWriting() {
  if (socket_.valid()) shutdown(socket_.get(), SHUT_WR);
}

void WatchedSocket::ShutDown() {
  if (socket_.valid()) shutdown(socket_.get(), SHUT_RDWR);
}

void WatchedSocket::CloseUnlessWatched() {
  if (!watched_) socket_.Reset();
}

bool WatchedSocket::Post(std::function<void()> task) {
  if (loop_ == nullptr) return false;
  loop_->Post(std::move(task));
  return true;
}

bool WatchedSocket::PostAfter(absl::Duration delay,
                              std::function<void()> task) {
  if (loop_ == nullptr) return false;
  loop_->PostAfter(delay, std::move(task));
  return true;
}

}  // namespace tributary
