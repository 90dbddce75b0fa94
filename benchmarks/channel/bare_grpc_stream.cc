#include "benchmarks/channel/bare_grpc_stream.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/support/client_callback.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/grpc/grpc_status.h"
#include "channel/grpc/receive_memory.h"

namespace tributary {
namespace {

constexpr char kMethod[] = "/tributary.benchmark.Bare/Stream";

// One call of the server. Deletes itself in OnDone().
class Writer final : public grpc::ServerGenericBidiReactor {
 public:
  Writer(absl::Span<const uint8_t> room, size_t message_bytes, uint64_t bytes)
      : room_(room), message_bytes_(message_bytes), left_(bytes) {
    Next();
  }
  void OnWriteDone(bool ok) override { ok ? Next() : Finish({}); }
  void OnDone() override { delete this; }

 private:
  void Next() {
    if (left_ == 0) return Finish(grpc::Status::OK);
    const size_t length =
        std::min<uint64_t>({message_bytes_, room_.size() - at_, left_});
    const grpc::Slice slice(room_.data() + at_, length,
                            grpc::Slice::STATIC_SLICE);
    message_ = grpc::ByteBuffer(&slice, 1);
    at_ = (at_ + length) % room_.size();
    left_ -= length;
    StartWrite(&message_);
  }

  const absl::Span<const uint8_t> room_;
  const size_t message_bytes_;
  uint64_t left_;
  size_t at_ = 0;
  grpc::ByteBuffer message_;
};

class Service final : public grpc::CallbackGenericService {
 public:
  Service(absl::Span<const uint8_t> room, size_t message_bytes, uint64_t bytes)
      : room_(room), message_bytes_(message_bytes), bytes_(bytes) {}
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext*) override {
    return new Writer(room_, message_bytes_, bytes_);
  }

 private:
  const absl::Span<const uint8_t> room_;
  const size_t message_bytes_;
  const uint64_t bytes_;
};

class Source final : public BareGrpcSource {
 public:
  Source(absl::Span<const uint8_t> room, size_t message_bytes, uint64_t bytes)
      : service_(room, message_bytes, bytes) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                             &port_);
    builder.RegisterCallbackGenericService(&service_);
    server_ = builder.BuildAndStart();
  }
  uint16_t port() const override { return static_cast<uint16_t>(port_); }

 private:
  Service service_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

class Reader final
    : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  Reader(std::shared_ptr<grpc::Channel> channel, absl::Span<uint8_t> to)
      : to_(to) {
    grpc::GenericStub(std::move(channel))
        .PrepareBidiStreamingCall(&context_, kMethod, grpc::StubOptions(),
                                  this);
  }
  void Start() {
    StartRead(&message_);
    StartCall();
  }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    Take();
    StartRead(&message_);
  }
  void OnDone(const grpc::Status& status) override {
    done_.set_value(FromGrpcStatus(status, "bare gRPC"));
  }
  // Returns how many bytes arrived.
  absl::StatusOr<uint64_t> Wait() {
    absl::Status status = done_.get_future().get();
    if (!status.ok()) return status;
    return received_;
  }

 private:
  void Take() {
    received_ += message_.Length();
    if (to_.empty()) return message_.Clear();
    std::vector<grpc::Slice> slices;
    (void)message_.Dump(&slices);
    for (const grpc::Slice& slice : slices) {
      if (at_ + slice.size() > to_.size()) at_ = 0;
      std::memcpy(to_.data() + at_, slice.begin(), slice.size());
      at_ += slice.size();
    }
    message_.Clear();
  }

  const absl::Span<uint8_t> to_;
  size_t at_ = 0;
  uint64_t received_ = 0;
  grpc::ClientContext context_;
  grpc::ByteBuffer message_;
  std::promise<absl::Status> done_;
};

std::shared_ptr<grpc::Channel> ConnectTo(uint16_t port) {
  grpc::ChannelArguments args;
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  args.SetMaxReceiveMessageSize(-1);
  auto channel =
      grpc::CreateCustomChannel(absl::StrCat("127.0.0.1:", port),
                                grpc::InsecureChannelCredentials(), args);
  channel->WaitForConnected(std::chrono::system_clock::now() +
                            std::chrono::seconds(10));
  return channel;
}

}  // namespace

absl::StatusOr<std::unique_ptr<BareGrpcSource>> BareGrpcSource::Start(
    absl::Span<const uint8_t> room, size_t message_bytes, uint64_t bytes) {
  KeepReceiveMemory();
  auto source = std::make_unique<Source>(room, message_bytes, bytes);
  if (source->port() == 0) return absl::UnavailableError("no free port");
  return source;
}

absl::StatusOr<double> BareGrpcSeconds(uint16_t port, int streams,
                                       uint64_t bytes, absl::Span<uint8_t> to) {
  KeepReceiveMemory();
  const size_t part = to.size() / static_cast<size_t>(streams);
  std::vector<std::unique_ptr<Reader>> readers;
  for (int i = 0; i < streams; ++i) {
    readers.push_back(std::make_unique<Reader>(
        ConnectTo(port), to.subspan(static_cast<size_t>(i) * part, part)));
  }
  const auto start = std::chrono::steady_clock::now();
  for (const auto& reader : readers) reader->Start();
  absl::Status status;
  for (const auto& reader : readers) {
    const auto received = reader->Wait();
    status.Update(received.status());
    if (received.ok() && *received != bytes) {
      status.Update(absl::DataLossError(absl::StrCat(
          "bare gRPC brought ", *received, " of ", bytes, " bytes")));
    }
  }
  if (!status.ok()) return status;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace tributary
