#include "channel/grpc/grpc_server.h"

#include <grpcpp/alarm.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "channel/envelope.h"
#include "channel/grpc/accepted_stream.h"
#include "channel/grpc/connection_arguments.h"
#include "channel/grpc/grpc_log.h"
#include "channel/grpc/health_stream.h"
#include "channel/grpc/process_room.h"
#include "channel/grpc/receive_memory.h"
#include "channel/grpc/stream_limits.h"
#include "channel/grpc/stream_method.h"
#include "channel/grpc/tls/tls_credentials.h"
#include "channel/method_roles.h"
#include "channel/net/connection_acceptor.h"
#include "channel/net/connection_ages.h"
#include "channel/net/listening_sockets.h"
#include "channel/planned_end.h"
#include "channel/tls/refused_connections.h"
#include "common/io/unique_fd.h"
#include "common/observe/refusal_counter.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr int kMaxMetadataBytes = 8 << 10;
// Until what speaks on a connection is known.
constexpr absl::Duration kFirstBytesTimeout = absl::Seconds(2);

// Unix sockets are in plain text: the system tells who is at the other end.
bool UsesTls(const NetworkServerOptions& options) {
  return !options.tls.empty() && !options.listen.is_unix();
}

// A stream of one of our methods, for the acceptor.
class ServerStream final : public AcceptedStream {
 public:
  // `ages` is null if connections may grow as old as they like.
  ServerStream(grpc::GenericCallbackServerContext* context,
               const NetworkServerOptions& options, StreamLimits* limits,
               ConnectionAges* ages, StreamAcceptor* acceptor)
      : AcceptedStream(context, options.connection, UsesTls(options), limits),
        ages_(ages),
        acceptor_(acceptor) {}

 private:
  absl::Status CheckAllowed(const Identity& identity) override {
    method_ = StreamMethodOf(context().method());
    if (!method_.has_value()) {
      return absl::UnimplementedError(
          absl::StrCat("there is no method ", context().method()));
    }
    const absl::Status allowed = CheckMethodAllowed(*method_, identity);
    if (!allowed.ok()) {
      RefusedConnections::OfProcess().Add(RefusalReason::kWrongRole,
                                          allowed.message());
    }
    return allowed;
  }

  absl::Status Accept(CallerPtr caller) override {
    absl::Status why = absl::UnavailableError("refused");
    const auto handle = MakeHandle();
    auto handler = acceptor_->Accept(*method_, std::move(caller), handle, &why);
    if (handler == nullptr) {
      // Before the handle is destroyed, which would close without the cause.
      Close(why);
      return why;
    }
    set_handler(std::move(handler));
    EndWithConnection();
    return absl::OkStatus();
  }

  bool TakeMessage(grpc::ByteBuffer* message) override {
    return ReadDone(message);
  }
  void Over() override { age_alarm_.Cancel(); }

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

  ConnectionAges* const ages_;
  StreamAcceptor* const acceptor_;
  std::optional<StreamMethod> method_;  // in CheckAllowed
  grpc::Alarm age_alarm_;
};

class StreamService final : public grpc::CallbackGenericService {
 public:
  StreamService(const NetworkServerOptions& options, StreamAcceptor* acceptor)
      : options_(options),
        ages_(options.age),
        limits_(options.max_streams),
        acceptor_(acceptor) {}

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    const auto stream = Make(context);
    stream->Start();
    return stream.get();  // owns itself until OnDone
  }
  void SetServing(bool serving) { serving_ = serving; }
  StreamRegistry<GrpcStream>& registry() { return limits_.registry; }
  StreamLimits& limits() { return limits_; }
  const StreamLimits& limits() const { return limits_; }

 private:
  std::shared_ptr<AcceptedStream> Make(
      grpc::GenericCallbackServerContext* context) {
    const bool tls = UsesTls(options_);
    if (context->method() == kHealthCheckPath) {
      return std::make_shared<HealthStream>(context, options_.connection, tls,
                                            &limits_, &serving_);
    }
    return std::make_shared<ServerStream>(context, options_, &limits_,
                                          tls ? &ages_ : nullptr, acceptor_);
  }

  const NetworkServerOptions options_;
  ConnectionAges ages_;
  StreamLimits limits_;
  std::atomic<bool> serving_{false};
  StreamAcceptor* const acceptor_;
};

void SetLimits(const NetworkServerOptions& options,
               grpc::ServerBuilder& builder) {
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
  set(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
}

void SetArguments(const NetworkServerOptions& options,
                  grpc::ServerBuilder& builder) {
  const ConnectionOptions& connection = options.connection;
  SetLimits(options, builder);
  if (UsesTls(options)) {
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS,
                               ArgumentMs(options.age.notice_age()));
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS,
                               ArgumentMs(options.age.cut_grace()));
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
  GrpcServerImpl(const NetworkServerOptions& options, StreamAcceptor* acceptor)
      : options_(options), service_(options, acceptor) {}
  ~GrpcServerImpl() override { Shutdown(absl::ZeroDuration()); }

  absl::Status Listen(const MakeSecondProtocol& second) {
    ASSIGN_OR_RETURN(auto sockets, ListeningSockets::Open(
                                       options_.listen,
                                       options_.connection.keepalive_timeout));
    address_ = sockets->address();
    if (UsesTls(options_)) {
      ASSIGN_OR_RETURN(tls_files_, GrpcTlsFiles::Start(options_.tls));
    }
    grpc::ServerBuilder builder;
    SetArguments(options_, builder);
    const auto credentials = MakeServerCredentials(tls_files_.get());
    for (auto& lane : lanes_) {
      lane = builder.experimental().AddExternalConnectionAcceptor(
          grpc::ServerBuilder::experimental_type::ExternalConnectionType::
              FROM_FD,
          credentials);
    }
    if (second) {
      ASSIGN_OR_RETURN(
          second_, second(&service_.limits().places, &refused_connections_));
    }
    builder.RegisterCallbackGenericService(&service_);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr) {
      return absl::InternalError("gRPC does not start a server");
    }
    return Accept(std::move(sockets));
  }

  Address address() const override { return address_; }
  size_t num_streams() const override {
    return const_cast<StreamService&>(service_).registry().size() +
           (second_ == nullptr ? 0 : second_->num_streams());
  }
  size_t num_tcp_streams() const override {
    return second_ == nullptr ? 0 : second_->num_streams();
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
    return service_.limits().places.refused().counts();
  }

  void SetServing(bool serving) override { service_.SetServing(serving); }

  void Shutdown(absl::Duration grace) override {
    if (server_ == nullptr) return;
    std::call_once(shutdown_, [this, grace] {
      SetServing(false);
      if (acceptor_ != nullptr) acceptor_->Stop();
      service_.registry().CloseAll(PlannedEnd("the server is shutting down"),
                                   /*after_queue=*/true);
      if (second_ != nullptr) second_->Shutdown(grace);
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
    limits.guard.receive_memory = options_.receive_memory;
    ConnectionAcceptor::Callbacks callbacks;
    callbacks.accepted = [this](UniqueFd fd, size_t lane) {
      if (second_ != nullptr && SecondTakes(fd.get())) {
        return second_->Adopt(std::move(fd), *table_);
      }
      NewConnection connection;
      connection.fd = fd.Release();
      lanes_[lane]->HandleNewConnection(&connection);
    };
    const bool plain = !UsesTls(options_) && !address_.is_unix();
    if (plain || second_ != nullptr) {
      callbacks.ready = [this, plain](absl::Span<const uint8_t> first,
                                      const std::string& host) {
        // gRPC answers TLS in plain text, which tells the client what is wrong,
        // and says nothing of it here.
        if (plain) {
          RefusedConnections::OfProcess().CheckPlainText(first[0], host);
        }
        return second_ == nullptr || second_->Takes(first).has_value();
      };
    }
    if (second_ != nullptr) limits.first_bytes_timeout = kFirstBytesTimeout;
    callbacks.every_second = [this] {
      num_idle_streams_ +=
          service_.registry().CloseIdle(options_.stream_idle_timeout);
      if (second_ == nullptr) return;
      num_idle_streams_ += second_->CloseIdle(options_.stream_idle_timeout);
    };
    service_.limits().connections = table_.get();
    ASSIGN_OR_RETURN(acceptor_, ConnectionAcceptor::Start(
                                    std::move(sockets), limits,
                                    &refused_connections_, callbacks, table_));
    return absl::OkStatus();
  }

  // Leaves the bytes in the socket.
  bool SecondTakes(int fd) const {
    uint8_t first[ConnectionAcceptor::kFirstBytes];
    const ssize_t bytes =
        recv(fd, first, sizeof(first), MSG_PEEK | MSG_DONTWAIT);
    if (bytes <= 0) return false;
    return second_->Takes({first, static_cast<size_t>(bytes)}).value_or(false);
  }

  const NetworkServerOptions options_;
  Address address_;
  const std::shared_ptr<ConnectionTable> table_ =
      std::make_shared<ConnectionTable>();
  RefusalCounter refused_connections_{"connection"};
  std::atomic<uint64_t> num_idle_streams_{0};
  std::unique_ptr<GrpcTlsFiles> tls_files_;  // null: plain text
  StreamService service_;                    // outlives server_ and second_
  std::unique_ptr<SecondProtocol> second_;   // or null
  std::unique_ptr<grpc::Server> server_;
  // One for each thread that passes connections on, since HandleNewConnection
  // holds a mutex of it while it parses what the connection sends. Each has
  // keys of its own for TLS's tickets, so one connection in four resumes a
  // session.
  std::array<std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor>,
             ConnectionHandover::kLanes>
      lanes_;
  std::unique_ptr<ConnectionAcceptor> acceptor_;
  std::once_flag shutdown_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(
    NetworkServerOptions options, StreamAcceptor* acceptor,
    const MakeSecondProtocol& second) {
  RETURN_IF_ERROR(CheckServerOptions(options));
  RETURN_IF_ERROR(CheckRoomForGrpc());
  TakeGrpcLog();
  KeepReceiveMemory();
  auto server = std::make_unique<GrpcServerImpl>(options, acceptor);
  RETURN_IF_ERROR(server->Listen(second));
  return server;
}

}  // namespace tributary
