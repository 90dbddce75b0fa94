// Sends finished batches over a stream, frame by frame.
#ifndef TRIBUTARY_CHANNEL_FRAME_SENDER_H_
#define TRIBUTARY_CHANNEL_FRAME_SENDER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

#include "absl/types/span.h"
#include "channel/envelope.h"
#include "channel/transport.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"

namespace tributary {

struct FrameSenderOptions {
  size_t frame_bytes = kMaxFrameBytes;  // at most kMaxFrameBytes
  // Of frames that the transport holds at once. The rest waits here, so that
  // other messages of the stream need not wait behind whole batches.
  size_t window_bytes = size_t{4} << 20;
};

// Cuts rooms into kFrame messages that refer to them: nothing is copied. Rooms
// go out one after the other. Thread-safe. What bounds the rooms that wait is
// the server's byte budget, which they are reserved from.
class FrameSender : public std::enable_shared_from_this<FrameSender> {
 public:
  // `executor` outlives every room that was handed over.
  static std::shared_ptr<FrameSender> Create(std::shared_ptr<Stream> stream,
                                             Executor* executor,
                                             FrameSenderOptions options = {});

  // `owner` keeps `room`, not empty, and is let go of once the network has
  // taken the last frame, or the room was cancelled, or the stream broke.
  void Send(uint64_t grant, absl::Span<const uint8_t> room,
            std::shared_ptr<const void> owner);
  // No frame of `grant` is sent after this. True when one was left to send.
  bool Cancel(uint64_t grant);
  // Lets go of the stream and of what waits: call it from OnClosed.
  void Stop();
  // Of rooms, not yet handed to the stream.
  size_t waiting_bytes() const;
  // By the network, so far: grows as long as anything goes out.
  uint64_t frames_taken() const;

 private:
  struct Room {
    uint64_t grant = 0;
    absl::Span<const uint8_t> bytes;
    std::shared_ptr<const void> owner;
    size_t sent = 0;
  };
  class InFlight;

  FrameSender(std::shared_ptr<Stream> stream, Executor* executor,
              FrameSenderOptions options)
      : executor_(executor), options_(options), stream_(std::move(stream)) {}
  void Taken(size_t bytes);
  void Pump();
  OutgoingMessage NextFrame(Room& room) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Executor* const executor_;
  const FrameSenderOptions options_;
  mutable Mutex mutex_;
  std::shared_ptr<Stream> stream_ ABSL_GUARDED_BY(mutex_);
  std::deque<Room> rooms_ ABSL_GUARDED_BY(mutex_);
  size_t in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t frames_taken_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_FRAME_SENDER_H_
