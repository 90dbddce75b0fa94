#include "channel/grpc/grpc_server.h"

#include <grpcpp/alarm.h>
#include <grpcpp/ext/health_check_service_server_builder_option.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "channel/envelope.h"
#include "channel/grpc/connection_acceptor.h"
#include "channel/grpc/connection_arguments.h"
#include "channel/grpc/connection_use.h"
#include "channel/grpc/grpc_log.h"
#include "channel/grpc/grpc_status.h"
#include "channel/grpc/grpc_stream.h"
#include "channel/grpc/listening_sockets.h"
#include "channel/grpc/receive_memory.h"
#include "channel/grpc/refusals.h"
#include "channel/grpc/stream_method.h"
#include "channel/grpc/stream_registry.h"
#include "channel/grpc/tls/connection_ages.h"
#include "channel/grpc/tls/peer_identity.h"
#include "channel/grpc/tls/refused_connections.h"
#include "channel/grpc/tls/tls_credentials.h"
#include "channel/grpc/tls/watched_tls_files.h"
#include "channel/method_roles.h"
#include "channel/planned_end.h"
#include "common/io/unique_fd.h"
#include "common/runtime/clock.h"
#include "common/runtime/mutex.h"
#include "common/runtime/shared_budget.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr int kMaxMetadataBytes = 8 << 10;
constexpr uint8_t kTlsHandshake = 22;  // the type of a client's first record

// The open streams of a server, and their limit.
struct StreamLimits {
  explicit StreamLimits(size_t max_streams)
      : places(SharedBudget::Create("max_streams", max_streams)) {}

  std::shared_ptr<ConnectionUse> UseOf(const std::string& peer) const {
    const ConnectionTable* table = connections.load();
    if (table == nullptr) return nullptr;
    return table->Find(ConnectionTable::KeyOfPeer(peer));
  }

  absl::StatusOr<BudgetShare::Hold> TakePlace(const Caller& caller) {
    auto place = places->Open(caller.share_key())->TryTake(1);
    if (!place.ok()) {
      const bool full = places->used() >= places->limit();
      refused.Add(full ? "too_many" : "caller_share",
                  absl::StrCat(caller.address, ": ", place.status().message()));
    }
    return place;
  }

  const std::shared_ptr<SharedBudget> places;
  StreamRegistry registry;
  Refusals refused{"stream"};
  std::atomic<const ConnectionTable*> connections = nullptr;
};

// Unix sockets are in plain text: the system tells who is at the other end.
bool UsesTls(const GrpcServerOptions& options) {
  return !options.tls.empty() && !options.listen.is_unix();
}

// The server's end of one gRPC call. gRPC finishes it only after End has called
// Finish.
class ServerStream final : public GrpcStream,
                           public grpc::ServerGenericBidiReactor {
 public:
  // `ages` is null if connections may grow as old as they like.
  ServerStream(grpc::GenericCallbackServerContext* context,
               const GrpcServerOptions& options, StreamLimits* limits,
               ConnectionAges* ages)
      : GrpcStream(context->peer(), options.connection),
        tls_(UsesTls(options)),
        limits_(limits),
        use_(limits->UseOf(other_end())),
        ages_(ages),
        context_(context) {}

  void Start(StreamAcceptor* acceptor) {
    self_ = shared_from_this();
    const bool hasty =
        use_ != nullptr && !use_->OpenStream(SteadyClock().Now());
    const absl::Status accepted =
        hasty ? absl::ResourceExhaustedError("streams open too fast")
              : Accept(acceptor);
    if (accepted.ok()) {
      EndWithConnection();
      StartRead(&in_);
    } else {
      Close(accepted);
    }
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      OtherEndGone(absl::OkStatus());
    } else if (ReadMessage()) {
      StartRead(&in_);
    }
  }
  void OnWriteDone(bool ok) override { WriteDone(ok); }
  void OnCancel() override { OtherEndGone(Cut()); }
  void OnDone() override {
    const auto self = std::move(self_);
    age_alarm_.Cancel();
    const bool cut = context_->IsCancelled();
    {
      MutexLock lock(context_mutex_);
      context_ = nullptr;
    }
    Closed(cut ? Cut() : absl::OkStatus());
    if (use_ != nullptr) use_->CloseStream();
    if (registered_) limits_->registry.Remove(this);
  }

 private:
  bool ReadMessage() {
    if (use_ != nullptr) use_->ReadMessage(in_.Length());
    return ReadDone(&in_);
  }

  absl::Status Accept(StreamAcceptor* acceptor) {
    const auto method = StreamMethodOf(context_->method());
    if (!method.has_value()) {
      return absl::UnimplementedError(
          absl::StrCat("there is no method ", context_->method()));
    }
    registered_ = true;
    if (!limits_->registry.Add(this)) {
      return absl::UnavailableError("the server is shutting down");
    }
    ASSIGN_OR_RETURN(Identity identity, AllowedIdentity(*method));
    auto caller = MakeCaller(other_end(), std::move(identity));
    ASSIGN_OR_RETURN(place_, limits_->TakePlace(*caller));
    absl::Status why = absl::UnavailableError("refused");
    const auto handle = MakeHandle();
    auto handler = acceptor->Accept(*method, std::move(caller), handle, &why);
    if (handler == nullptr) {
      // Before the handle is destroyed, which would close without the cause.
      Close(why);
      return why;
    }
    set_handler(std::move(handler));
    return absl::OkStatus();
  }

  // Returns who calls, if they may open a stream of `method`.
  absl::StatusOr<Identity> AllowedIdentity(StreamMethod method) const {
    Identity identity;
    if (tls_) {
      ASSIGN_OR_RETURN(identity, PeerIdentity(*context_->auth_context()));
    }
    const absl::Status allowed = CheckMethodAllowed(method, identity);
    if (allowed.ok()) return identity;
    RefusedConnections::OfProcess().Add(RefusalReason::kWrongRole,
                                        allowed.message());
    return allowed;
  }

  // Closes the stream in an orderly way when its connection has grown old.
  void EndWithConnection() {
    if (ages_ == nullptr) return;
    age_alarm_.Set(
        absl::ToChronoTime(ages_->EndOf(other_end(), absl::Now())),
        [weak = weak_from_this()](bool due) {
          if (!due) return;
          if (const auto self = weak.lock()) {
            self->CloseAfterQueue(PlannedEnd(
                "the connection has reached its longest age; open the stream "
                "again over a new one"));
          }
        });
  }

  absl::Status Cut() const {
    return absl::UnavailableError(
        absl::StrCat(other_end(), ": cancelled by the other end, or lost"));
  }

  void StartWriteOf(const grpc::ByteBuffer* buffer) override {
    StartWrite(buffer);
  }
  void End(const absl::Status& why, bool) override {
    Finish(ToGrpcStatus(why));
  }
  void Abort() override {
    MutexLock lock(context_mutex_);
    if (context_ != nullptr) context_->TryCancel();
  }

  const bool tls_;
  StreamLimits* const limits_;
  const std::shared_ptr<ConnectionUse> use_;  // null: not measured
  BudgetShare::Hold place_;
  ConnectionAges* const ages_;
  grpc::Alarm age_alarm_;
  bool registered_ = false;
  grpc::ByteBuffer in_;
  Mutex context_mutex_;  // gRPC's context lives until OnDone
  grpc::GenericCallbackServerContext* context_;
  std::shared_ptr<GrpcStream> self_;  // until OnDone
};

class StreamService final : public grpc::CallbackGenericService {
 public:
  StreamService(const GrpcServerOptions& options, StreamAcceptor* acceptor)
      : options_(options),
        ages_(options.age),
        limits_(options.max_streams),
        acceptor_(acceptor) {}

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    auto stream = std::make_shared<ServerStream>(
        context, options_, &limits_, UsesTls(options_) ? &ages_ : nullptr);
    stream->Start(acceptor_);
    return stream.get();  // owns itself until OnDone
  }
  StreamRegistry& registry() { return limits_.registry; }
  StreamLimits& limits() { return limits_; }
  const StreamLimits& limits() const { return limits_; }

 private:
  const GrpcServerOptions options_;
  ConnectionAges ages_;
  StreamLimits limits_;
  StreamAcceptor* const acceptor_;
};

void SetLimits(const GrpcServerOptions& options, grpc::ServerBuilder& builder) {
  const auto set = [&builder](const char* name, int value) {
    builder.AddChannelArgument(name, value);
  };
  set(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
      ArgumentMs(options.handshake_timeout));
  set(GRPC_ARG_MAX_CONNECTION_IDLE_MS,
      ArgumentMs(options.connection_idle_timeout));
  set(GRPC_ARG_MAX_CONCURRENT_STREAMS,
      static_cast<int>(options.max_connection_streams));
  set(GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes);
  // No client compresses, and a message may grow a thousandfold.
  set(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  set(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET,
      1 << GRPC_COMPRESS_NONE);
  set(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 2);
}

void SetArguments(const GrpcServerOptions& options,
                  grpc::ServerBuilder& builder) {
  const GrpcConnectionOptions& connection = options.connection;
  SetLimits(options, builder);
  if (UsesTls(options)) {
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS,
                               ArgumentMs(options.age.grpc_age()));
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS,
                               ArgumentMs(options.age.grpc_grace()));
  }
  builder.AddChannelArgument(
      GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
      ArgumentMs(connection.keepalive_time / 2));
  SetConnectionArguments(connection, [&builder](const char* name, int value) {
    builder.AddChannelArgument(name, value);
  });
  builder.SetMaxReceiveMessageSize(kMaxEnvelopeBytes);
  builder.SetMaxSendMessageSize(kMaxEnvelopeBytes);
}

using NewConnection =
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters;

class GrpcServerImpl final : public GrpcServer {
 public:
  GrpcServerImpl(const GrpcServerOptions& options, StreamAcceptor* acceptor)
      : options_(options), service_(options, acceptor) {}
  ~GrpcServerImpl() override { Shutdown(absl::ZeroDuration()); }

  absl::Status Listen() {
    ASSIGN_OR_RETURN(auto sockets, ListeningSockets::Open(
                                       options_.listen,
                                       options_.connection.keepalive_timeout));
    address_ = sockets->address();
    if (UsesTls(options_)) {
      ASSIGN_OR_RETURN(tls_files_, WatchedTlsFiles::Start(options_.tls));
    }
    grpc::ServerBuilder builder;
    SetArguments(options_, builder);
    connections_ = builder.experimental().AddExternalConnectionAcceptor(
        grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
        MakeServerCredentials(tls_files_.get()));
    builder.RegisterCallbackGenericService(&service_);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr) {
      return absl::InternalError("gRPC does not start a server");
    }
    SetServing(false);
    return Accept(std::move(sockets));
  }

  Address address() const override { return address_; }
  size_t num_streams() const override {
    return const_cast<StreamService&>(service_).registry().size();
  }
  size_t num_connections() const override {
    return acceptor_ == nullptr ? 0 : acceptor_->num_connections();
  }
  uint64_t num_idle_streams() const override { return num_idle_streams_; }
  std::map<std::string, uint64_t> refused_connections() const override {
    auto counts = RefusedConnections::OfProcess().counts();
    for (const auto& [reason, count] : refused_connections_.counts()) {
      counts[reason] += count;
    }
    return counts;
  }
  std::map<std::string, uint64_t> refused_streams() const override {
    return service_.limits().refused.counts();
  }

  void SetServing(bool serving) override {
    server_->GetHealthCheckService()->SetServingStatus("", serving);
  }

  void Shutdown(absl::Duration grace) override {
    if (server_ == nullptr) return;
    std::call_once(shutdown_, [this, grace] {
      SetServing(false);
      if (acceptor_ != nullptr) acceptor_->Stop();
      service_.registry().CloseAll(PlannedEnd("the server is shutting down"),
                                   /*after_queue=*/true);
      server_->Shutdown(std::chrono::system_clock::now() +
                        absl::ToChronoMilliseconds(grace));
      // gRPC has cancelled the remaining calls, so this returns.
      service_.registry().WaitUntilEmpty();
      server_->Wait();
    });
  }

 private:
  absl::Status Accept(std::unique_ptr<ListeningSockets> sockets) {
    ConnectionAcceptorOptions limits;
    limits.max_connections = options_.max_connections;
    limits.receive_memory = options_.receive_memory;
    ConnectionAcceptor::Callbacks callbacks;
    callbacks.accepted = [this](UniqueFd fd) {
      NewConnection connection;
      connection.fd = fd.Release();
      connections_->HandleNewConnection(&connection);
    };
    // gRPC answers TLS in plain text, which tells the client what is wrong, and
    // says nothing of it here.
    if (!UsesTls(options_) && !address_.is_unix()) {
      callbacks.first = [](uint8_t byte, const std::string& host) {
        if (byte != kTlsHandshake) return;
        RefusedConnections::OfProcess().Add(
            RefusalReason::kTls,
            absl::StrCat(host,
                         " speaks TLS, and this server plain text: start "
                         "it with --tls-ca, --tls-cert and --tls-key, or "
                         "the other end without them"));
      };
    }
    callbacks.every_second = [this] {
      num_idle_streams_ +=
          service_.registry().CloseIdle(options_.stream_idle_timeout);
    };
    ASSIGN_OR_RETURN(
        acceptor_, ConnectionAcceptor::Start(std::move(sockets), limits,
                                             &refused_connections_, callbacks));
    service_.limits().connections = &acceptor_->table();
    return absl::OkStatus();
  }

  const GrpcServerOptions options_;
  Address address_;
  Refusals refused_connections_{"connection"};
  std::atomic<uint64_t> num_idle_streams_{0};
  std::unique_ptr<WatchedTlsFiles> tls_files_;  // null: plain text
  StreamService service_;                       // outlives server_
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> connections_;
  std::unique_ptr<ConnectionAcceptor> acceptor_;
  std::once_flag shutdown_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(
    GrpcServerOptions options, StreamAcceptor* acceptor) {
  RETURN_IF_ERROR(CheckTlsFiles(options.tls));
  if (options.tls.empty() && !options.insecure &&
      !IsLoopback(options.listen.host)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "listening on ", options.listen.ToString(),
        " without TLS would serve the graph to anyone who reaches it: listen "
        "on a loopback address, or allow it with --insecure"));
  }
  TakeGrpcLog();
  KeepReceiveMemory();
  // A setting of the process; every server that is built later has the service.
  static std::once_flag health;
  std::call_once(health, [] { grpc::EnableDefaultHealthCheckService(true); });
  auto server = std::make_unique<GrpcServerImpl>(options, acceptor);
  RETURN_IF_ERROR(server->Listen());
  return server;
}

}  // namespace tributary
