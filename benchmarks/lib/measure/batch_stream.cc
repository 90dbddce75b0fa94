#include "benchmarks/lib/measure/batch_stream.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "channel/frame_assembler.h"
#include "channel/frame_sender.h"
#include "channel/grpc/grpc_server.h"
#include "channel/grpc/grpc_transport.h"
#include "channel/network.h"
#include "channel/parse_header.h"
#include "channel/tcp/tcp_server.h"
#include "channel/tcp/tcp_transport.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/mutex.h"
#include "common/runtime/thread_pool.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr std::chrono::seconds kTimeout(60);

// Answers every credit with the same room.
class OneRoomServer final : public StreamAcceptor {
 public:
  OneRoomServer(absl::Span<const uint8_t> room, Executor* executor,
                size_t frame_bytes)
      : room_(room), executor_(executor) {
    options_.frame_bytes = frame_bytes;
  }
  std::shared_ptr<StreamHandler> Accept(StreamMethod, CallerPtr,
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
      // The room outlives the frames; the owner prevents a copy of each
      // payload.
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

  PayloadRoom RoomFor(const IncomingMessage& message) override {
    const auto frame = ParseHeader<v1::Frame>(message);
    if (!frame.ok()) return {};
    return {AssemblerOf(*frame).RoomFor({frame->offset(), frame->total()},
                                        message.payload_size()),
            nullptr};
  }
  void OnMessage(IncomingMessage& message) override {
    const auto frame = ParseHeader<v1::Frame>(message);
    if (!frame.ok()) return End(frame.status());
    FrameAssembler& assembler = AssemblerOf(*frame);
    const absl::Status added =
        assembler.Add(frame->offset(), frame->total(), message);
    if (!added.ok()) return End(added);
    if (!assembler.complete()) return;
    assemblers_.erase(frame->grant());
    if (--left_ == 0) return End(absl::OkStatus());
    if (left_ > 1) Ask(frame->grant() + 2);
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
    const bool more = left_ > 1;  // read before a handler writes it
    Ask(1);
    if (more) Ask(2);
  }
  absl::Status WaitUntil(std::chrono::steady_clock::time_point deadline) {
    MutexLock lock(mutex_);
    while (!ended_) {
      if (!changed_.WaitUntil(mutex_, deadline) && !ended_) {
        return absl::DeadlineExceededError("batches did not come in time");
      }
    }
    return result_;
  }

 private:
  FrameAssembler& AssemblerOf(const v1::Frame& frame) {
    return assemblers_.try_emplace(frame.grant(), slot_).first->second;
  }
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

class Source final : public BatchSender {
 public:
  Source(absl::Span<const uint8_t> room, size_t frame_bytes)
      : pool_("frames", 1), acceptor_(room, &pool_, frame_bytes) {}

  absl::Status Listen(const BatchNetwork& network) {
    NetworkServerOptions options;
    options.tls = network.tls;
    if (network.tcp) {
      ASSIGN_OR_RETURN(server_, TcpServer::Start(options, &acceptor_));
    } else {
      ASSIGN_OR_RETURN(server_, GrpcServer::Start(options, &acceptor_));
    }
    return absl::OkStatus();
  }
  uint16_t port() const override { return server_->address().port; }

 private:
  ThreadPool pool_;
  OneRoomServer acceptor_;
  std::unique_ptr<NetworkServer> server_;
};

// Each stream has a transport of its own, because streams to one address would
// share its connection otherwise.
class Receivers {
 public:
  Receivers(uint16_t port, int streams, absl::Span<uint8_t> to)
      : address_{"127.0.0.1", port},
        part_(to.size() / static_cast<size_t>(streams)),
        to_(to),
        transports_(static_cast<size_t>(streams)) {}

  absl::Status Open(const BatchNetwork& network) {
    NetworkTransportOptions options;
    options.tls = network.tls;
    for (auto& transport : transports_) {
      if (network.tcp) {
        ASSIGN_OR_RETURN(transport, TcpTransport::Start(options));
      } else {
        transport = std::make_unique<GrpcTransport>(options);
      }
    }
    return absl::OkStatus();
  }

  absl::Status Receive(int batches) {
    std::vector<std::shared_ptr<Receiver>> receivers;
    for (size_t i = 0; i < transports_.size(); ++i) {
      receivers.push_back(
          std::make_shared<Receiver>(to_.subspan(i * part_, part_), batches));
      receivers.back()->Start(transports_[i]->Connect(
          address_, StreamMethod::kBatches, receivers.back()));
    }
    absl::Status status;
    const auto deadline = std::chrono::steady_clock::now() + kTimeout;
    for (const auto& receiver : receivers) {
      status.Update(receiver->WaitUntil(deadline));
    }
    return status;
  }

 private:
  const Address address_;
  const size_t part_;
  const absl::Span<uint8_t> to_;
  std::vector<std::unique_ptr<NetworkTransport>> transports_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<BatchSender>> BatchSender::Start(
    const BatchNetwork& network, absl::Span<const uint8_t> room,
    size_t frame_bytes) {
  auto source = std::make_unique<Source>(room, frame_bytes);
  RETURN_IF_ERROR(source->Listen(network));
  return source;
}

absl::StatusOr<double> BatchSeconds(const BatchNetwork& network, uint16_t port,
                                    int streams, int batches,
                                    absl::Span<uint8_t> to) {
  Receivers receivers(port, streams, to);
  RETURN_IF_ERROR(receivers.Open(network));
  RETURN_IF_ERROR(receivers.Receive(1));
  const auto start = std::chrono::steady_clock::now();
  RETURN_IF_ERROR(receivers.Receive(batches));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace tributary
