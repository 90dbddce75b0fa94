#include "channel/grpc/grpc_server.h"

#include <grpcpp/ext/health_check_service_server_builder_option.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <chrono>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "channel/grpc/connection_arguments.h"
#include "channel/grpc/grpc_log.h"
#include "channel/grpc/grpc_status.h"
#include "channel/grpc/grpc_stream.h"
#include "channel/grpc/receive_memory.h"
#include "channel/grpc/stream_method.h"
#include "channel/grpc/stream_registry.h"
#include "channel/planned_end.h"
#include "common/io/unique_fd.h"
#include "common/runtime/mutex.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// The server's end of one gRPC call. gRPC finishes it only after End has called
// Finish.
class ServerStream final : public GrpcStream,
                           public grpc::ServerGenericBidiReactor {
 public:
  ServerStream(grpc::GenericCallbackServerContext* context,
               const GrpcServerOptions& options, StreamRegistry* registry)
      : GrpcStream(context->peer(), options.connection),
        max_streams_(options.max_streams),
        registry_(registry),
        context_(context) {}

  void Start(StreamAcceptor* acceptor) {
    self_ = shared_from_this();
    const absl::Status accepted = Accept(acceptor);
    if (accepted.ok()) {
      StartRead(&in_);
    } else {
      Close(accepted);
    }
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      OtherEndGone(absl::OkStatus());
    } else if (ReadDone(&in_)) {
      StartRead(&in_);
    }
  }
  void OnWriteDone(bool ok) override { WriteDone(ok); }
  void OnCancel() override { OtherEndGone(Cut()); }
  void OnDone() override {
    const auto self = std::move(self_);
    const bool cut = context_->IsCancelled();
    {
      MutexLock lock(context_mutex_);
      context_ = nullptr;
    }
    Closed(cut ? Cut() : absl::OkStatus());
    if (registered_) registry_->Remove(this);
  }

 private:
  absl::Status Accept(StreamAcceptor* acceptor) {
    const auto method = StreamMethodOf(context_->method());
    if (!method.has_value()) {
      return absl::UnimplementedError(
          absl::StrCat("there is no method ", context_->method()));
    }
    registered_ = true;
    if (!registry_->Add(this)) {
      return absl::UnavailableError("the server is shutting down");
    }
    if (registry_->size() > max_streams_) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the server has ", max_streams_,
                       " streams, as many as max_streams allows"));
    }
    absl::Status why = absl::UnavailableError("refused");
    const auto handle = MakeHandle();
    auto handler =
        acceptor->Accept(*method, MakeCaller(other_end()), handle, &why);
    if (handler == nullptr) {
      // Before the handle is destroyed, which would close without the cause.
      Close(why);
      return why;
    }
    set_handler(std::move(handler));
    return absl::OkStatus();
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

  const size_t max_streams_;
  StreamRegistry* const registry_;
  bool registered_ = false;
  grpc::ByteBuffer in_;
  Mutex context_mutex_;  // gRPC's context lives until OnDone
  grpc::GenericCallbackServerContext* context_;
  std::shared_ptr<GrpcStream> self_;  // until OnDone
};

class StreamService final : public grpc::CallbackGenericService {
 public:
  StreamService(const GrpcServerOptions& options, StreamAcceptor* acceptor)
      : options_(options), acceptor_(acceptor) {}

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    auto stream = std::make_shared<ServerStream>(context, options_, &registry_);
    stream->Start(acceptor_);
    return stream.get();  // owns itself until OnDone
  }
  StreamRegistry& registry() { return registry_; }

 private:
  const GrpcServerOptions options_;
  StreamRegistry registry_;
  StreamAcceptor* const acceptor_;
};

void SetArguments(const GrpcConnectionOptions& connection,
                  grpc::ServerBuilder& builder) {
  // A port in use is an error, not a port shared with its other user.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(
      GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
      ArgumentMs(connection.keepalive_time / 2));
  SetConnectionArguments(connection, [&builder](const char* name, int value) {
    builder.AddChannelArgument(name, value);
  });
  builder.SetMaxReceiveMessageSize(kMaxEnvelopeBytes);
  builder.SetMaxSendMessageSize(kMaxEnvelopeBytes);
}

// gRPC removes the file at a socket's path before it binds. So there must be no
// file, or the socket of a process that has ended.
absl::Status CheckSocketIsFree(const Address& address) {
  const std::string path = address.host.substr(5);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.copy(name.sun_path, sizeof(name.sun_path) - 1);
  const UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&name),
              sizeof(name)) == 0) {
    return absl::UnavailableError(absl::StrCat(
        "cannot listen on ", address.ToString(), ": in use by another server"));
  }
  struct stat there {};
  if (lstat(path.c_str(), &there) != 0 || S_ISSOCK(there.st_mode)) {
    return absl::OkStatus();
  }
  return absl::AlreadyExistsError(absl::StrCat(
      "cannot listen on ", address.ToString(),
      ": something that is no socket is there; allowed: a new path"));
}

class GrpcServerImpl final : public GrpcServer {
 public:
  GrpcServerImpl(const GrpcServerOptions& options, StreamAcceptor* acceptor)
      : address_(options.listen), service_(options, acceptor) {}
  ~GrpcServerImpl() override { Shutdown(absl::ZeroDuration()); }

  absl::Status Listen(const GrpcServerOptions& options) {
    if (address_.is_unix()) RETURN_IF_ERROR(CheckSocketIsFree(address_));
    grpc::ServerBuilder builder;
    SetArguments(options.connection, builder);
    int port = 0;
    builder.AddListeningPort(options.listen.ToString(),
                             grpc::InsecureServerCredentials(), &port);
    builder.RegisterCallbackGenericService(&service_);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port == 0) {
      return absl::UnavailableError(
          absl::StrCat("cannot listen on ", options.listen.ToString(),
                       ": in use, or not an address of this machine"));
    }
    if (!address_.is_unix()) address_.port = static_cast<uint16_t>(port);
    SetServing(false);
    return absl::OkStatus();
  }

  Address address() const override { return address_; }
  size_t num_streams() const override {
    return const_cast<StreamService&>(service_).registry().size();
  }

  void SetServing(bool serving) override {
    server_->GetHealthCheckService()->SetServingStatus("", serving);
  }

  void Shutdown(absl::Duration grace) override {
    if (server_ == nullptr) return;
    std::call_once(shutdown_, [this, grace] {
      SetServing(false);
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
  Address address_;
  StreamService service_;  // outlives server_
  std::unique_ptr<grpc::Server> server_;
  std::once_flag shutdown_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(
    GrpcServerOptions options, StreamAcceptor* acceptor) {
  if (!options.tls.empty()) {
    return absl::UnimplementedError("TLS is not built in yet");
  }
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
  RETURN_IF_ERROR(server->Listen(options));
  return server;
}

}  // namespace tributary
