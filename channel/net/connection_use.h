// Compares the bytes of a connection with those of its messages: tells an
// honest connection from one that makes the network library hold memory.
#ifndef TRIBUTARY_CHANNEL_NET_CONNECTION_USE_H_
#define TRIBUTARY_CHANNEL_NET_CONNECTION_USE_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Counts the streams of one connection and the bytes that were read from them.
// Thread-safe.
class ConnectionUse {
 public:
  // Counts a stream, and returns false if the connection opens them faster than
  // kStreamBurst at once and kStreamsPerSecond: then it should be cut.
  bool OpenStream(absl::Time now);
  void CloseStream() { streams_.fetch_sub(1, std::memory_order_relaxed); }
  size_t streams() const { return streams_.load(std::memory_order_relaxed); }
  bool hasty() const { return hasty_.load(std::memory_order_relaxed); }

  // Counts a message that was read, whose bytes no longer wait.
  void ReadMessage(size_t bytes);
  // Returns the bytes on the wire that messages so far account for, with what
  // framing and encryption add to them.
  uint64_t accounted() const {
    return accounted_.load(std::memory_order_relaxed);
  }

  static constexpr double kStreamBurst = 1000;
  static constexpr double kStreamsPerSecond = 100;

 private:
  std::atomic<size_t> streams_{0};
  std::atomic<uint64_t> accounted_{0};
  std::atomic<bool> hasty_{false};
  Mutex mutex_;
  double tokens_ ABSL_GUARDED_BY(mutex_) = kStreamBurst;
  absl::Time filled_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

// The open TCP connections, by the other end's address. Thread-safe.
class ConnectionTable {
 public:
  // Returns the name of a connection in this table, for gRPC's name of a peer
  // ("ipv4:10.0.0.7:41234", "ipv6:%5B::1%5D:41234") or for a socket; empty if
  // it is not TCP.
  static std::string KeyOfPeer(const std::string& peer);
  static std::string KeyOfSocket(int fd);

  // Returns the use of a new connection, or of none for an empty key.
  std::shared_ptr<ConnectionUse> Add(const std::string& key);
  void Remove(const std::string& key, const ConnectionUse* use);
  // Null if there is no such connection.
  std::shared_ptr<ConnectionUse> Find(const std::string& key) const;

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<ConnectionUse>> uses_
      ABSL_GUARDED_BY(mutex_);
};

// The bytes that a connection has sent and that no message accounts for: parts
// of messages and of headers that are held until the rest arrives, or frames
// that carry nothing. Not thread-safe.
class ReceiveDebt {
 public:
  // `received` and `written` are the socket's counts so far. What was accounted
  // beyond the debt is not kept; some bytes per second and per byte written are
  // forgiven, for pings and window updates.
  uint64_t Update(uint64_t received, uint64_t written, uint64_t accounted,
                  absl::Time now);
  uint64_t bytes() const { return debt_; }
  // Returns how much of it has arrived since something was written or accounted
  // for. HTTP/2's flow control allows no more data than a window without an
  // answer, but headers of any size.
  uint64_t unanswered() const { return std::min(debt_, unanswered_); }
  // Returns the bytes written since a message was read: pings and settings are
  // answered in kind, parts of messages by a window's update now and then.
  uint64_t echoed() const { return echoed_; }
  // Returns how long there has been more than kSmallDebt without a message that
  // was read.
  absl::Duration stalled() const { return stalled_; }

  static constexpr uint64_t kSmallDebt = 64 << 10;

 private:
  uint64_t debt_ = 0;
  uint64_t received_ = 0;
  uint64_t written_ = 0;
  uint64_t unanswered_ = 0;
  uint64_t echoed_ = 0;
  uint64_t accounted_ = 0;
  absl::Time updated_ = absl::InfiniteFuture();
  absl::Duration stalled_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_NET_CONNECTION_USE_H_
