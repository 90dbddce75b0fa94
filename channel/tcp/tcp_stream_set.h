// The open streams of one server or transport over TCP, and their loops.
#ifndef TRIBUTARY_CHANNEL_TCP_TCP_STREAM_SET_H_
#define TRIBUTARY_CHANNEL_TCP_TCP_STREAM_SET_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/net/socket_loop.h"
#include "channel/stream_registry.h"
#include "channel/tcp/tcp_stream.h"

namespace tributary {

// Owns the loops' threads and has every stream do what is due
// (TcpStream::Tick). Thread-safe.
class TcpStreamSet {
 public:
  // Called for a stream that was not open in time.
  using Late = std::function<void(TcpStream& stream)>;

  // Starts a loop for each two cores, at most 4, at least 1. `interval` is that
  // of ticks. Returns the errors of SocketLoop::Start.
  static absl::StatusOr<std::unique_ptr<TcpStreamSet>> Start(
      const std::string& name, absl::Duration interval, Late late);
  // Requires that End has been called.
  ~TcpStreamSet();

  // Returns the loop of a new stream.
  SocketLoop* NextLoop();
  StreamRegistry<TcpStream>& streams() { return streams_; }
  const StreamRegistry<TcpStream>& streams() const { return streams_; }

  // Closes the streams with `why`, with `after_queue` after their queued
  // messages, and breaks those that are left after `grace`. Returns when all
  // have ended; must not be called on a loop. Later streams must be closed.
  void End(const absl::Status& why, bool after_queue, absl::Duration grace);

 private:
  TcpStreamSet(absl::Duration interval, Late late);
  void Tick();

  const absl::Duration interval_;
  const Late late_;
  std::atomic<size_t> next_{0};
  StreamRegistry<TcpStream> streams_;
  std::vector<std::unique_ptr<SocketLoop>> loops_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TCP_TCP_STREAM_SET_H_
