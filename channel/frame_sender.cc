#include "channel/frame_sender.h"

#include <algorithm>
#include <utility>

#include "common/proto/wire.pb.h"

namespace tributary {

// The owner of one frame's payload, held by the transport. Its destruction
// reports that the network has taken the frame.
class FrameSender::FrameOwner {
 public:
  FrameOwner(std::weak_ptr<FrameSender> sender, Executor* executor,
             size_t bytes, std::shared_ptr<const void> batch)
      : sender_(std::move(sender)),
        executor_(executor),
        bytes_(bytes),
        batch_(std::move(batch)) {}
  // Runs on any thread, also inside Stream::Send with the sender's lock held.
  ~FrameOwner() {
    executor_->Post([sender = std::move(sender_), bytes = bytes_] {
      if (const auto self = sender.lock()) self->FrameTaken(bytes);
    });
  }
  FrameOwner(const FrameOwner&) = delete;
  FrameOwner& operator=(const FrameOwner&) = delete;

 private:
  std::weak_ptr<FrameSender> sender_;
  Executor* const executor_;
  const size_t bytes_;
  const std::shared_ptr<const void> batch_;
};

std::shared_ptr<FrameSender> FrameSender::Create(std::shared_ptr<Stream> stream,
                                                 Executor* executor,
                                                 FrameSenderOptions options) {
  options.frame_bytes =
      std::clamp<size_t>(options.frame_bytes, 1, kMaxFrameBytes);
  return std::shared_ptr<FrameSender>(
      new FrameSender(std::move(stream), executor, options));
}

void FrameSender::Send(uint64_t grant, absl::Span<const uint8_t> bytes,
                       std::shared_ptr<const void> owner, LeftOut left_out,
                       std::unique_ptr<v1::BatchTrace> trace) {
  {
    MutexLock lock(mutex_);
    if (stream_ == nullptr) return;
    batches_.push_back({grant, bytes, std::move(owner), std::move(left_out),
                        std::move(trace)});
  }
  SendFrames();
}

bool FrameSender::Cancel(uint64_t grant) {
  QueuedBatch cancelled;  // destroyed without the lock
  MutexLock lock(mutex_);
  const auto it = std::find_if(
      batches_.begin(), batches_.end(),
      [grant](const QueuedBatch& batch) { return batch.grant == grant; });
  if (it == batches_.end()) return false;
  cancelled = std::move(*it);
  batches_.erase(it);
  return true;
}

void FrameSender::Stop() {
  std::deque<QueuedBatch> batches;
  std::shared_ptr<Stream> stream;
  MutexLock lock(mutex_);
  batches.swap(batches_);
  stream.swap(stream_);
}

size_t FrameSender::waiting_bytes() const {
  MutexLock lock(mutex_);
  size_t bytes = 0;
  for (const QueuedBatch& batch : batches_)
    bytes += batch.bytes.size() - batch.sent;
  return bytes;
}

uint64_t FrameSender::frames_taken() const {
  MutexLock lock(mutex_);
  return frames_taken_;
}

void FrameSender::FrameTaken(size_t bytes) {
  {
    MutexLock lock(mutex_);
    bytes_in_flight_ -= bytes;
    ++frames_taken_;
  }
  SendFrames();
}

// Passes the gaps that begin where the batch has been sent to, and returns how
// much may be sent before the next one.
size_t FrameSender::QueuedBatch::PassGaps() {
  const std::vector<BatchGap>& gaps = left_out.gaps;
  while (passed < gaps.size() && gaps[passed].offset == sent + skipped) {
    skipped += gaps[passed++].bytes;
  }
  const size_t left = bytes.size() - sent;
  if (passed == gaps.size()) return left;
  return std::min<size_t>(left, gaps[passed].offset - sent - skipped);
}

// A frame ends where a gap begins.
OutgoingMessage FrameSender::NextFrame(QueuedBatch& batch) {
  const size_t length = std::min(options_.frame_bytes, batch.PassGaps());
  const uint64_t left_out = batch.left_out.bytes();
  v1::Frame frame;
  frame.set_grant(batch.grant);
  frame.set_offset(batch.sent + batch.skipped);
  frame.set_total(batch.bytes.size() + left_out);
  frame.set_left_out_bytes(left_out);
  frame.set_left_out_crcs(batch.left_out.crcs);
  if (batch.trace != nullptr) frame.set_allocated_trace(batch.trace.release());
  OutgoingMessage message;
  message.kind = MessageKind::kFrame;
  message.header = frame.SerializeAsString();
  message.payload = batch.bytes.subspan(batch.sent, length);
  message.payload_owner = std::make_shared<const FrameOwner>(
      weak_from_this(), executor_, length, batch.owner);
  batch.sent += length;
  bytes_in_flight_ += length;
  return message;
}

// Holds the lock while it passes a frame to the stream, so that Cancel takes
// effect between frames. Stream::Send neither blocks nor calls handlers.
void FrameSender::SendFrames() {
  std::deque<QueuedBatch> done;  // destroyed without the lock
  MutexLock lock(mutex_);
  while (stream_ != nullptr && !batches_.empty() &&
         bytes_in_flight_ < options_.window_bytes) {
    QueuedBatch& batch = batches_.front();
    const bool sent = stream_->Send(NextFrame(batch)).ok();
    if (!sent) {  // the stream has broken: nothing more can be sent
      done.swap(batches_);
      return;
    }
    if (batch.sent < batch.bytes.size()) continue;
    done.push_back(std::move(batch));
    batches_.pop_front();
  }
}

}  // namespace tributary
