#include "benchmarks/channel/grpc_batch_stream.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "channel/frame_assembler.h"
#include "channel/frame_sender.h"
#include "channel/grpc/grpc_server.h"
#include "channel/grpc/grpc_transport.h"
#include "channel/parse_header.h"
#include "common/mutex.h"
#include "common/proto/wire.pb.h"
#include "common/thread_pool.h"

namespace tributary {
namespace {

// Answers every credit with the same room.
class OneRoomServer final : public StreamAcceptor {
 public:
  OneRoomServer(absl::Span<const uint8_t> room, Executor* executor,
                size_t frame_bytes)
      : room_(room), executor_(executor) {
    options_.frame_bytes = frame_bytes;
  }
  std::shared_ptr<StreamHandler> Accept(StreamMethod, std::string,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status*) override {
    return std::make_shared<Handler>(
        room_, FrameSender::Create(std::move(stream), executor_, options_));
  }

 private:
  class Handler final : public StreamHandler {
   public:
    Handler(absl::Span<const uint8_t> room, std::shared_ptr<FrameSender> sender)
        : room_(room), sender_(std::move(sender)) {}
    void OnMessage(IncomingMessage& message) override {
      const auto credit = ParseHeader<v1::Credit>(message);
      if (!credit.ok()) return;
      // The benchmark keeps the room; an owner all the same, or it is copied.
      sender_->Send(
          credit->grant(), room_,
          std::shared_ptr<const void>(room_.data(), [](const void*) {}));
    }
    void OnClosed(const absl::Status&) override { sender_->Stop(); }

   private:
    const absl::Span<const uint8_t> room_;
    const std::shared_ptr<FrameSender> sender_;
  };

  const absl::Span<const uint8_t> room_;
  Executor* const executor_;
  FrameSenderOptions options_;
};

class Receiver final : public StreamHandler {
 public:
  Receiver(absl::Span<uint8_t> slot, int batches)
      : slot_(slot), left_(batches) {}

  void OnMessage(IncomingMessage& message) override {
    const auto frame = ParseHeader<v1::Frame>(message);
    if (!frame.ok()) return End(frame.status());
    auto& assembler =
        assemblers_.try_emplace(frame->grant(), slot_).first->second;
    const absl::Status added =
        assembler.Add(frame->offset(), frame->total(), message);
    if (!added.ok()) return End(added);
    if (!assembler.complete()) return;
    assemblers_.erase(frame->grant());
    if (--left_ == 0) return End(absl::OkStatus());
    Ask(frame->grant() + 2);
  }
  void OnClosed(const absl::Status& why) override {
    std::shared_ptr<Stream> stream;
    {
      MutexLock lock(mutex_);
      stream.swap(stream_);
    }
    End(why.ok() ? absl::UnavailableError("closed") : why);
  }

  void Start(std::shared_ptr<Stream> stream) {
    {
      MutexLock lock(mutex_);
      stream_ = std::move(stream);
    }
    Ask(1);
    Ask(2);
  }
  absl::Status Wait() {
    MutexLock lock(mutex_);
    while (!ended_) changed_.Wait(mutex_);
    return result_;
  }

 private:
  void Ask(uint64_t grant) {
    std::shared_ptr<Stream> stream;
    {
      MutexLock lock(mutex_);
      stream = stream_;
    }
    v1::Credit credit;
    credit.set_grant(grant);
    OutgoingMessage message;
    message.kind = MessageKind::kCredit;
    message.header = credit.SerializeAsString();
    if (stream != nullptr) (void)stream->Send(std::move(message));
  }
  void End(absl::Status result) {
    MutexLock lock(mutex_);
    if (!ended_) result_ = std::move(result);
    ended_ = true;
    changed_.NotifyAll();
  }

  const absl::Span<uint8_t> slot_;
  int left_;
  std::map<uint64_t, FrameAssembler> assemblers_;
  Mutex mutex_;
  CondVar changed_;
  std::shared_ptr<Stream> stream_ ABSL_GUARDED_BY(mutex_);
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status result_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<double> GrpcBatchSeconds(absl::Span<const uint8_t> from,
                                        absl::Span<uint8_t> to, int repeats,
                                        size_t frame_bytes) {
  ThreadPool pool("frames", 1);
  OneRoomServer acceptor(from, &pool, frame_bytes);
  auto server = GrpcServer::Start({}, &acceptor);
  if (!server.ok()) return server.status();
  GrpcTransport transport;
  const auto receive = [&](int batches) {
    auto receiver = std::make_shared<Receiver>(to, batches);
    receiver->Start(transport.Connect((*server)->address(),
                                      StreamMethod::kBatches, receiver));
    return receiver->Wait();
  };
  absl::Status status = receive(1);  // connects
  const auto start = std::chrono::steady_clock::now();
  if (status.ok()) status = receive(repeats);
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - start;
  transport.Shutdown();
  (*server)->Shutdown(absl::Seconds(1));
  if (!status.ok()) return status;
  return took.count();
}

}  // namespace tributary
