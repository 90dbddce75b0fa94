#include "channel/grpc/grpc_transport.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/client_callback.h>

#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "channel/envelope.h"
#include "channel/grpc/connection_arguments.h"
#include "channel/grpc/grpc_log.h"
#include "channel/grpc/grpc_status.h"
#include "channel/grpc/grpc_stream.h"
#include "channel/grpc/receive_memory.h"
#include "channel/grpc/stream_method.h"
#include "channel/grpc/tls/connect_failures.h"
#include "channel/grpc/tls/tls_credentials.h"
#include "channel/stream_registry.h"

namespace tributary {
namespace {

absl::Status ShutDownError() {
  return absl::UnavailableError("the transport was shut down");
}

// The client's end of one gRPC call. A hold keeps gRPC from finishing the call
// until this side has ended, so that Send may start writes from any thread.
class ClientStream final
    : public GrpcStream,
      public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  // Passes the status that gRPC ends the call with, and returns what it means.
  using Explain = std::function<absl::Status(const absl::Status&)>;

  ClientStream(std::string address, const ConnectionOptions& options,
               StreamRegistry<GrpcStream>* registry,
               std::shared_ptr<StreamHandler> handler, Explain explain)
      : GrpcStream(std::move(address), options),
        registry_(registry),
        explain_(std::move(explain)),
        context_(std::make_unique<grpc::ClientContext>()) {
    set_handler(std::move(handler));
  }

  void Start(std::shared_ptr<grpc::Channel> channel, StreamMethod method) {
    self_ = shared_from_this();
    grpc::GenericStub(std::move(channel))
        .PrepareBidiStreamingCall(context_.get(), GrpcMethodPath(method),
                                  grpc::StubOptions(), this);
    AddHold();
    // Only now: once registered, the stream may be closed by others, which
    // removes the hold.
    const bool open = registry_->Add(this);
    StartRead(&in_);
    StartCall();
    if (!open) Close(ShutDownError());
  }

  // Reads until gRPC reports the end, whichever side closed: the status arrives
  // only after the last message.
  void OnReadDone(bool ok) override {
    if (ok) {
      ReadDone(&in_);
      StartRead(&in_);
      return;
    }
    OtherEndClosed();
  }
  void OnWriteDone(bool ok) override {
    if (!ok) OtherEndClosed();
    WriteDone(ok);
  }
  void OnDone(const grpc::Status& status) override {
    const auto self = std::move(self_);
    Closed(explain_(FromGrpcStatus(status, other_end())));
    {
      // The context holds the channel, which must be released before the
      // transport ends.
      MutexLock lock(context_mutex_);
      context_.reset();
    }
    registry_->Remove(this);
  }

 private:
  void StartWriteOf(const grpc::ByteBuffer* buffer) override {
    StartWrite(buffer);
  }
  void End(const absl::Status&, bool orderly) override {
    if (orderly) {
      StartWritesDone();
    } else if (!other_end_gone_) {
      // After the other end's status has arrived, cancelling would hide it.
      context_->TryCancel();
    }
    RemoveHold();
  }
  void Abort() override {
    MutexLock lock(context_mutex_);
    if (context_ != nullptr) context_->TryCancel();
  }
  void OtherEndClosed() {
    other_end_gone_ = true;
    OtherEndGone(absl::UnavailableError("the other end closed"));
  }

  StreamRegistry<GrpcStream>* const registry_;
  const Explain explain_;
  Mutex context_mutex_;  // between Abort and OnDone
  std::unique_ptr<grpc::ClientContext> context_;
  grpc::ByteBuffer in_;
  std::atomic<bool> other_end_gone_ = false;
  std::shared_ptr<GrpcStream> self_;  // until OnDone
};

}  // namespace

GrpcTransport::GrpcTransport(NetworkTransportOptions options)
    : options_(std::move(options)),
      failures_(std::make_unique<ConnectFailures>()),
      streams_(std::make_unique<StreamRegistry<GrpcStream>>()) {
  TakeGrpcLog();
  KeepReceiveMemory();
  if (options_.tls.empty()) return;
  auto files = GrpcTlsFiles::Start(options_.tls);
  usable_ = files.status();
  if (files.ok()) tls_files_ = *std::move(files);
}

GrpcTransport::~GrpcTransport() { Shutdown(); }

void GrpcTransport::Shutdown() {
  streams_->CloseAll(ShutDownError(), /*after_queue=*/false);
  streams_->WaitUntilEmpty();
}

GrpcTransport::Connection GrpcTransport::MakeConnection(
    const Address& address) const {
  auto accepted = std::make_shared<AcceptedServer>();
  grpc::ChannelArguments args;
  args.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  args.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  args.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);  // fleets are reached directly
  // Does not share connections with other channels of the process.
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  // gRPC uses this as the limit of one attempt to connect.
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS,
              ArgumentMs(options_.connect_timeout));
  SetConnectionArguments(
      options_.connection,
      [&args](const char* name, int value) { args.SetInt(name, value); });
  args.SetMaxReceiveMessageSize(kMaxEnvelopeBytes);
  args.SetMaxSendMessageSize(kMaxEnvelopeBytes);
  auto channel = grpc::CreateCustomChannel(
      address.is_unix() ? address.ToString()
                        : absl::StrCat("dns:///", address.ToString()),
      CredentialsFor(address, accepted), args);
  return {std::move(channel), std::move(accepted)};
}

// Null if TLS was asked for and its files cannot be used: then gRPC makes a
// channel that leads nowhere.
std::shared_ptr<grpc::ChannelCredentials> GrpcTransport::CredentialsFor(
    const Address& address, std::shared_ptr<AcceptedServer> accepted) const {
  if (address.is_unix()) return MakeChannelCredentials(nullptr, {});
  if (!usable_.ok()) return nullptr;
  return MakeChannelCredentials(tls_files_.get(), std::move(accepted));
}

GrpcTransport::Connection GrpcTransport::ConnectionTo(const Address& address,
                                                      bool bulk) {
  MutexLock lock(mutex_);
  Connection& connection = connections_[{address, bulk}];
  // An unused channel may be waiting to retry after a failure; a new one
  // connects at once and resolves the name again.
  if (connection.channel == nullptr || connection.channel.use_count() == 1) {
    retired_.push_back(std::move(connection.channel));
    connection = MakeConnection(address);
  }
  return connection;
}

absl::Status GrpcTransport::Explain(const Address& address,
                                    const absl::Status& status,
                                    std::shared_ptr<AcceptedServer> accepted) {
  if (!usable_.ok() && !address.is_unix()) return usable_;
  ConnectingClient client;
  if (tls_files_ != nullptr && !address.is_unix()) {
    client = {options_.tls, tls_files_->watched().identity(),
              tls_files_->watched().expires(), std::move(accepted)};
  }
  return failures_->Explain(address.ToString(), status, client, absl::Now());
}

void GrpcTransport::DropUnusedChannels() {
  std::vector<std::shared_ptr<grpc::Channel>> unused;  // destroyed unlocked
  MutexLock lock(mutex_);
  unused.swap(retired_);
  for (auto it = connections_.begin(); it != connections_.end();) {
    if (it->second.channel.use_count() > 1) {
      ++it;
    } else {
      unused.push_back(std::move(it->second.channel));
      it = connections_.erase(it);
    }
  }
}

std::shared_ptr<Stream> GrpcTransport::Connect(
    const Address& address, StreamMethod method,
    std::shared_ptr<StreamHandler> handler) {
  const Connection connection =
      ConnectionTo(address, method == StreamMethod::kBatches);
  auto stream = std::make_shared<ClientStream>(
      address.ToString(), options_.connection, streams_.get(),
      std::move(handler),
      [this, address,
       accepted = connection.accepted](const absl::Status& status) {
        return Explain(address, status, accepted);
      });
  auto handle = stream->MakeHandle();
  stream->Start(connection.channel, method);
  DropUnusedChannels();  // keeps this one, which is in use
  return handle;
}

}  // namespace tributary
