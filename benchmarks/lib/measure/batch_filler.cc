#include "benchmarks/lib/measure/batch_filler.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/frame_sender.h"
#include "channel/parse_header.h"
#include "common/io/buffer.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/mutex.h"

namespace tributary {

int64_t MonotonicNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

class BatchFiller::Handler final
    : public StreamHandler,
      public std::enable_shared_from_this<Handler> {
 public:
  Handler(absl::Span<const uint8_t> from, Executor* executor,
          std::shared_ptr<Stream> stream)
      : from_(from),
        executor_(executor),
        sender_(FrameSender::Create(stream, executor)),
        stream_(std::move(stream)) {}

  void OnMessage(IncomingMessage& message) override {
    const auto credit = ParseHeader<v1::Credit>(message);
    if (!credit.ok()) return Close(credit.status());
    std::shared_ptr<SharedRoom> room = message.room();
    const uint64_t bytes = credit->max_bytes();
    size_t most = from_.size();
    if (room != nullptr) most = std::min(most, room->bytes().size());
    if (bytes < sizeof(BatchStamp) || bytes > most) {
      return Close(absl::InvalidArgumentError(
          absl::StrCat("a credit of ", bytes,
                       " bytes; allowed: ", sizeof(BatchStamp), " to ", most)));
    }
    executor_->Post([self = shared_from_this(), grant = credit->grant(), bytes,
                     room = std::move(room)]() mutable {
      self->Answer(grant, bytes, std::move(room));
    });
  }

  void OnClosed(const absl::Status&) override {
    sender_->Stop();
    std::shared_ptr<Stream> stream;  // destroyed without the lock
    MutexLock lock(mutex_);
    stream.swap(stream_);
  }

 private:
  // Runs on the executor.
  void Answer(uint64_t grant, size_t bytes, std::shared_ptr<SharedRoom> room) {
    if (room != nullptr) {
      Fill(grant, room->bytes().first(bytes));
      return SendReady(grant, bytes, std::move(room));
    }
    const auto own = std::make_shared<AlignedBuffer>(bytes);
    Fill(grant, own->span());
    sender_->Send(grant, own->span(), own);
  }

  void Fill(uint64_t grant, absl::Span<uint8_t> room) const {
    const size_t piece = grant % (from_.size() / room.size());
    std::memcpy(room.data(), from_.data() + piece * room.size(), room.size());
    const BatchStamp stamp{grant, MonotonicNs()};
    std::memcpy(room.data(), &stamp, sizeof(stamp));
  }

  void SendReady(uint64_t grant, size_t bytes,
                 std::shared_ptr<SharedRoom> room) {
    v1::Ready ready;
    ready.set_grant(grant);
    ready.set_total(bytes);
    OutgoingMessage message;
    message.kind = MessageKind::kReady;
    message.header = ready.SerializeAsString();
    message.room = std::move(room);
    // If it fails, the trainer sees the stream's end.
    if (const auto stream = OpenStream())
      (void)stream->Send(std::move(message));
  }

  void Close(absl::Status why) {
    if (const auto stream = OpenStream()) stream->Close(std::move(why));
  }

  std::shared_ptr<Stream> OpenStream() {
    MutexLock lock(mutex_);
    return stream_;
  }

  const absl::Span<const uint8_t> from_;
  Executor* const executor_;
  const std::shared_ptr<FrameSender> sender_;
  Mutex mutex_;
  std::shared_ptr<Stream> stream_ ABSL_GUARDED_BY(mutex_);
};

std::shared_ptr<StreamHandler> BatchFiller::Accept(
    StreamMethod, CallerPtr, std::shared_ptr<Stream> stream, absl::Status*) {
  return std::make_shared<Handler>(from_, executor_, std::move(stream));
}

}  // namespace tributary
