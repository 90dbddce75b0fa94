// A TCP port that forwards its connections to another port, so that a test can
// cut or freeze them.
#ifndef TRIBUTARY_CHANNEL_TESTING_TCP_FORWARDER_H_
#define TRIBUTARY_CHANNEL_TESTING_TCP_FORWARDER_H_

#include <cstdint>
#include <list>
#include <memory>
#include <thread>
#include <vector>

#include "common/runtime/mutex.h"

namespace tributary {

// Forwards on loopback, on one thread, which the destructor joins. Thread-safe.
class TcpForwarder {
 public:
  explicit TcpForwarder(uint16_t target_port);
  ~TcpForwarder();
  TcpForwarder(const TcpForwarder&) = delete;
  TcpForwarder& operator=(const TcpForwarder&) = delete;

  uint16_t port() const { return port_; }
  // Returns the number of connections accepted so far.
  int num_connections() const;
  // Resets every connection; new ones are forwarded as before.
  void Cut();
  // Lets no byte pass any more while every connection stays open, as if the
  // other host had lost its power.
  void Freeze();

 private:
  struct Pair {
    int ends[2];
  };
  enum class Order { kNone, kCut, kFreeze, kStop };

  void Tell(Order order);
  void Run();
  bool Obey();
  void AcceptOne();
  bool Forward(Pair& pair, int from);
  static void Reset(const Pair& pair);

  const uint16_t target_port_;
  uint16_t port_ = 0;
  int listener_ = -1;
  int wake_[2] = {-1, -1};
  std::list<Pair> pairs_;  // used by the thread only
  bool frozen_ = false;    // used by the thread only
  mutable Mutex mutex_;
  CondVar obeyed_;
  Order order_ ABSL_GUARDED_BY(mutex_) = Order::kNone;
  int num_connections_ ABSL_GUARDED_BY(mutex_) = 0;
  std::thread thread_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TESTING_TCP_FORWARDER_H_
