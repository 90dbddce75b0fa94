// Sends finished batches over a stream in frames of bounded size.
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
#include "common/batch/left_out.h"
#include "common/proto/trace.pb.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"

namespace tributary {

struct FrameSenderOptions {
  size_t frame_bytes = kMaxFrameBytes;  // at most kMaxFrameBytes
  // Limit of the frames that the transport holds at once. The rest waits in the
  // sender, so that other messages of the stream do not queue behind whole
  // batches.
  size_t window_bytes = size_t{4} << 20;
};

// Cuts batches into kFrame messages that refer to the batch's memory, without a
// copy, and sends one batch after the other. The memory of waiting batches is
// bounded by the server's byte budget, from which it is reserved. Thread-safe.
class FrameSender : public std::enable_shared_from_this<FrameSender> {
 public:
  // `executor` outlives the owners of all batches passed to Send.
  static std::shared_ptr<FrameSender> Create(std::shared_ptr<Stream> stream,
                                             Executor* executor,
                                             FrameSenderOptions options = {});

  // Queues the batch `bytes` (not empty), which lacks what is left out, for
  // `grant`. `owner` keeps the bytes and is released once the network has taken
  // the last frame, the batch was cancelled or the stream broke. The first
  // frame carries `trace`, unless that is null.
  void Send(uint64_t grant, absl::Span<const uint8_t> bytes,
            std::shared_ptr<const void> owner, LeftOut left_out = {},
            std::unique_ptr<v1::BatchTrace> trace = nullptr);
  // Sends no more frames of `grant`. Returns true if some were left to send.
  bool Cancel(uint64_t grant);
  // Releases the stream and all waiting batches. Call it from OnClosed.
  void Stop();
  // Returns the bytes of batches that were not yet passed to the stream.
  size_t waiting_bytes() const;
  // Returns the number of frames that the network has taken so far. It grows as
  // long as anything is sent.
  uint64_t frames_taken() const;

 private:
  // A batch of which frames are left to send. `owner` is of any type: the
  // server's memory and its reservation, or a test's buffer.
  struct QueuedBatch {
    uint64_t grant = 0;
    absl::Span<const uint8_t> bytes;
    std::shared_ptr<const void> owner;
    LeftOut left_out;
    std::unique_ptr<v1::BatchTrace> trace;  // until it is sent
    size_t sent = 0;                        // bytes passed to the stream
    size_t passed = 0;                      // gaps before the next frame
    uint64_t skipped = 0;                   // their bytes

    size_t PassGaps();
  };
  class FrameOwner;

  FrameSender(std::shared_ptr<Stream> stream, Executor* executor,
              FrameSenderOptions options)
      : executor_(executor), options_(options), stream_(std::move(stream)) {}
  void FrameTaken(size_t bytes);
  void SendFrames();
  OutgoingMessage NextFrame(QueuedBatch& batch)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Executor* const executor_;
  const FrameSenderOptions options_;
  mutable Mutex mutex_;
  std::shared_ptr<Stream> stream_ ABSL_GUARDED_BY(mutex_);
  std::deque<QueuedBatch> batches_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t frames_taken_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_FRAME_SENDER_H_
