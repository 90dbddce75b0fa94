#include "channel/frame_sender.h"

#include <algorithm>
#include <utility>

#include "common/proto/wire.pb.h"

namespace tributary {

// The owner of one frame's payload: its end says that the network took it.
class FrameSender::InFlight {
 public:
  InFlight(std::weak_ptr<FrameSender> sender, Executor* executor, size_t bytes,
           std::shared_ptr<const void> room)
      : sender_(std::move(sender)),
        executor_(executor),
        bytes_(bytes),
        room_(std::move(room)) {}
  // On any thread, also inside Stream::Send with the sender's lock held.
  ~InFlight() {
    executor_->Post([sender = std::move(sender_), bytes = bytes_] {
      if (const auto self = sender.lock()) self->Taken(bytes);
    });
  }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

 private:
  std::weak_ptr<FrameSender> sender_;
  Executor* const executor_;
  const size_t bytes_;
  const std::shared_ptr<const void> room_;
};

std::shared_ptr<FrameSender> FrameSender::Create(std::shared_ptr<Stream> stream,
                                                 Executor* executor,
                                                 FrameSenderOptions options) {
  options.frame_bytes =
      std::clamp<size_t>(options.frame_bytes, 1, kMaxFrameBytes);
  return std::shared_ptr<FrameSender>(
      new FrameSender(std::move(stream), executor, options));
}

void FrameSender::Send(uint64_t grant, absl::Span<const uint8_t> room,
                       std::shared_ptr<const void> owner) {
  {
    MutexLock lock(mutex_);
    if (stream_ == nullptr) return;
    rooms_.push_back({grant, room, std::move(owner)});
  }
  Pump();
}

bool FrameSender::Cancel(uint64_t grant) {
  Room cancelled;  // let go of without the lock
  MutexLock lock(mutex_);
  const auto it =
      std::find_if(rooms_.begin(), rooms_.end(),
                   [grant](const Room& room) { return room.grant == grant; });
  if (it == rooms_.end()) return false;
  cancelled = std::move(*it);
  rooms_.erase(it);
  return true;
}

void FrameSender::Stop() {
  std::deque<Room> rooms;
  std::shared_ptr<Stream> stream;
  MutexLock lock(mutex_);
  rooms.swap(rooms_);
  stream.swap(stream_);
}

size_t FrameSender::waiting_bytes() const {
  MutexLock lock(mutex_);
  size_t bytes = 0;
  for (const Room& room : rooms_) bytes += room.bytes.size() - room.sent;
  return bytes;
}

uint64_t FrameSender::frames_taken() const {
  MutexLock lock(mutex_);
  return frames_taken_;
}

void FrameSender::Taken(size_t bytes) {
  {
    MutexLock lock(mutex_);
    in_flight_ -= bytes;
    ++frames_taken_;
  }
  Pump();
}

OutgoingMessage FrameSender::NextFrame(Room& room) {
  const size_t length =
      std::min(options_.frame_bytes, room.bytes.size() - room.sent);
  v1::Frame frame;
  frame.set_grant(room.grant);
  frame.set_offset(room.sent);
  frame.set_total(room.bytes.size());
  OutgoingMessage message;
  message.kind = MessageKind::kFrame;
  message.header = frame.SerializeAsString();
  message.payload = room.bytes.subspan(room.sent, length);
  message.payload_owner = std::make_shared<const InFlight>(
      weak_from_this(), executor_, length, room.owner);
  room.sent += length;
  in_flight_ += length;
  return message;
}

// The lock is held while a frame is handed over, so that Cancel cuts between
// frames: Send does not block and calls nobody.
void FrameSender::Pump() {
  std::deque<Room> done;  // let go of without the lock
  MutexLock lock(mutex_);
  while (stream_ != nullptr && !rooms_.empty() &&
         in_flight_ < options_.window_bytes) {
    Room& room = rooms_.front();
    const bool sent = stream_->Send(NextFrame(room)).ok();
    if (!sent) {  // the stream has broken: nothing more can be sent
      done.swap(rooms_);
      return;
    }
    if (room.sent < room.bytes.size()) continue;
    done.push_back(std::move(room));
    rooms_.pop_front();
  }
}

}  // namespace tributary
