#include "channel/testing/tcp_forwarder.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

namespace tributary {
namespace {

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

// Ends the test program if a system call failed: a test needs its sockets.
void Must(bool worked) {
  if (!worked) std::abort();
}

}  // namespace

TcpForwarder::TcpForwarder(uint16_t target_port) : target_port_(target_port) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  Must(listener_ >= 0 && bind(listener_, generic, size) == 0);
  Must(listen(listener_, 64) == 0);
  Must(getsockname(listener_, generic, &size) == 0);
  port_ = ntohs(address.sin_port);
  Must(pipe(wake_) == 0);
  thread_ = std::thread([this] { Run(); });
}

TcpForwarder::~TcpForwarder() {
  Tell(Order::kStop);
  thread_.join();
  for (const int fd : {listener_, wake_[0], wake_[1]}) close(fd);
}

int TcpForwarder::num_connections() const {
  MutexLock lock(mutex_);
  return num_connections_;
}

void TcpForwarder::Cut() { Tell(Order::kCut); }
void TcpForwarder::Freeze() { Tell(Order::kFreeze); }

// Gives the thread an order and waits until it has carried it out.
void TcpForwarder::Tell(Order order) {
  MutexLock lock(mutex_);
  order_ = order;
  Must(write(wake_[1], "", 1) == 1);
  while (order_ != Order::kNone) obeyed_.Wait(mutex_);
}

void TcpForwarder::Reset(const Pair& pair) {
  const linger at_once = {1, 0};  // a reset instead of an orderly close
  for (const int fd : pair.ends) {
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(fd);
  }
}

// Carries out the current order. Returns false if the thread must end.
bool TcpForwarder::Obey() {
  char byte;
  Must(read(wake_[0], &byte, 1) == 1);
  MutexLock lock(mutex_);
  const Order order = order_;
  if (order == Order::kFreeze) {
    frozen_ = true;
  } else {
    for (const Pair& pair : pairs_) Reset(pair);
    pairs_.clear();
  }
  order_ = Order::kNone;
  obeyed_.NotifyAll();
  return order != Order::kStop;
}

void TcpForwarder::AcceptOne() {
  Pair pair;
  pair.ends[0] = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  pair.ends[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in target = Loopback(target_port_);
  if (connect(pair.ends[1], reinterpret_cast<const sockaddr*>(&target),
              sizeof(target)) != 0) {
    Reset(pair);
    return;
  }
  pairs_.push_back(pair);
  MutexLock lock(mutex_);
  ++num_connections_;
}

// Forwards bytes of one direction. Returns false if the connection has ended.
bool TcpForwarder::Forward(Pair& pair, int from) {
  char bytes[65536];
  const ssize_t got = read(pair.ends[from], bytes, sizeof(bytes));
  if (got <= 0) return false;
  for (ssize_t at = 0; at < got;) {
    const ssize_t n = send(pair.ends[1 - from], bytes + at,
                           static_cast<size_t>(got - at), MSG_NOSIGNAL);
    if (n <= 0) return false;
    at += n;
  }
  return true;
}

void TcpForwarder::Run() {
  while (true) {
    std::vector<pollfd> polls = {{wake_[0], POLLIN, 0}};
    if (!frozen_) {
      polls.push_back({listener_, POLLIN, 0});
      for (const Pair& pair : pairs_) {
        for (const int fd : pair.ends) polls.push_back({fd, POLLIN, 0});
      }
    }
    Must(poll(polls.data(), polls.size(), -1) >= 0);
    if (polls[0].revents != 0) {
      if (!Obey()) return;
      continue;  // the list has changed
    }
    size_t at = 2;
    for (auto pair = pairs_.begin(); pair != pairs_.end();) {
      bool alive = true;
      for (int from : {0, 1}) {
        if (polls[at++].revents != 0 && alive) alive = Forward(*pair, from);
      }
      if (!alive) Reset(*pair);
      pair = alive ? std::next(pair) : pairs_.erase(pair);
    }
    if (polls[1].revents != 0) AcceptOne();
  }
}

}  // namespace tributary
