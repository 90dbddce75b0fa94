#include "channel/tcp/tcp_server.h"

#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/caller.h"
#include "channel/method_roles.h"
#include "channel/net/connection_acceptor.h"
#include "channel/net/connection_ages.h"
#include "channel/net/connection_use.h"
#include "channel/net/listening_sockets.h"
#include "channel/net/peer_name.h"
#include "channel/net/stream_places.h"
#include "channel/planned_end.h"
#include "channel/tcp/tcp_stream.h"
#include "channel/tcp/tcp_stream_set.h"
#include "channel/tls/peer_check.h"
#include "channel/tls/refused_connections.h"
#include "channel/tls/tls_connection.h"
#include "channel/tls/tls_context.h"
#include "common/identity/certificate.h"
#include "common/observe/log.h"
#include "common/observe/refusal_counter.h"
#include "common/runtime/clock.h"
#include "common/runtime/mutex.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Unix sockets are in plain text: the system tells who is at the other end.
bool UsesTls(const NetworkServerOptions& options) {
  return !options.tls.empty() && !options.listen.is_unix();
}

// Ticks are a part of what they measure.
absl::Duration TickInterval(const NetworkServerOptions& options) {
  const absl::Duration least =
      std::min({options.handshake_timeout, options.connection.keepalive_time,
                options.connection.keepalive_timeout});
  return std::clamp(least / 8, absl::Milliseconds(10), absl::Seconds(1));
}

class TcpServerImpl final : public TcpServer {
 public:
  TcpServerImpl(const NetworkServerOptions& options, StreamAcceptor* acceptor)
      : options_(options),
        ages_(options.age),
        places_(options.max_streams),
        accepts_(acceptor) {}
  ~TcpServerImpl() override { Shutdown(absl::ZeroDuration()); }

  absl::Status Listen() {
    ASSIGN_OR_RETURN(auto sockets, ListeningSockets::Open(
                                       options_.listen,
                                       options_.connection.keepalive_timeout));
    address_ = sockets->address();
    if (UsesTls(options_)) {
      ASSIGN_OR_RETURN(auto tls, ReloadedTls::Read(TlsSide::kServer,
                                                   options_.tls, "the server"));
      MutexLock lock(tls_mutex_);
      tls_ = std::move(tls);
    }
    ASSIGN_OR_RETURN(
        set_, TcpStreamSet::Start("tcp-server", TickInterval(options_),
                                  [this](TcpStream& stream) { Late(stream); }));
    return Accept(std::move(sockets));
  }

  Address address() const override { return address_; }
  void SetServing(bool) override {}
  size_t num_streams() const override { return num_open_; }
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
    return places_.refused().counts();
  }

  void Shutdown(absl::Duration grace) override {
    std::call_once(shutdown_, [this, grace] {
      if (acceptor_ != nullptr) acceptor_->Stop();
      if (set_ == nullptr) return;
      set_->End(PlannedEnd("the server is shutting down"), /*after_queue=*/true,
                grace);
    });
  }

 private:
  // What a stream holds until it has ended. Used on its loop's thread.
  struct Held {
    CallerPtr caller;
    std::shared_ptr<ConnectionUse> use;  // null: not measured
    BudgetShare::Hold place;
    bool open = false;
  };

  absl::Status Accept(std::unique_ptr<ListeningSockets> sockets) {
    ConnectionAcceptorOptions limits;
    limits.max_connections = options_.max_connections;
    limits.guard.receive_memory = options_.receive_memory;
    ConnectionAcceptor::Callbacks callbacks;
    callbacks.accepted = [this](UniqueFd fd, size_t) { Adopt(std::move(fd)); };
    if (!UsesTls(options_) && !address_.is_unix()) {
      callbacks.first = [](uint8_t byte, const std::string& host) {
        RefusedConnections::OfProcess().CheckPlainText(byte, host);
      };
    }
    callbacks.every_second = [this] {
      num_idle_streams_ +=
          set_->streams().CloseIdle(options_.stream_idle_timeout);
    };
    ASSIGN_OR_RETURN(
        acceptor_, ConnectionAcceptor::Start(std::move(sockets), limits,
                                             &refused_connections_, callbacks));
    table_ = &acceptor_->table();
    return absl::OkStatus();
  }

  void Adopt(UniqueFd fd) {
    auto tls = MakeTls(fd.get());
    if (!tls.ok()) {
      LogRepeated(LogLevel::kError, "tcp-tls", tls.status().ToString());
      shutdown(fd.get(), SHUT_RDWR);  // the acceptor has a duplicate
      return;
    }
    const ConnectionTable* const table = table_;
    auto held = std::make_shared<Held>();
    held->caller = MakeCaller(PeerNameOf(fd.get()));
    if (table != nullptr) {
      held->use = table->Find(ConnectionTable::KeyOfSocket(fd.get()));
    }
    const auto stream = std::make_shared<TcpStream>(
        held->caller->address, set_->NextLoop(),
        TcpStreamOptions{options_.connection, options_.handshake_timeout},
        CallbacksOf(held));
    const bool open = set_->streams().Add(stream.get());
    stream->StartServer(std::move(fd), *std::move(tls));
    if (!open) stream->Close(PlannedEnd("the server is shutting down"));
  }

  // Returns null for plain text.
  absl::StatusOr<std::unique_ptr<TlsConnection>> MakeTls(int fd) {
    MutexLock lock(tls_mutex_);
    if (!tls_.has_value()) return nullptr;
    return TlsConnection::Start(tls_->Current(), TlsSide::kServer, fd);
  }

  TcpStream::Callbacks CallbacksOf(std::shared_ptr<Held> held) {
    TcpStream::Callbacks callbacks;
    callbacks.verify = [held](const std::string& pem) -> absl::Status {
      RETURN_IF_ERROR(CheckClient(pem));
      ASSIGN_OR_RETURN(const CertificateFacts facts, FactsOfPem(pem));
      held->caller = MakeCaller(held->caller->address, facts.identity);
      return absl::OkStatus();
    };
    callbacks.handshake_failed = [held](RefusalReason reason,
                                        const absl::Status& why) {
      RefusedConnections::OfProcess().Add(
          reason, absl::StrCat(held->caller->address, ": ", why.message()));
    };
    callbacks.open = [this, held](TcpStream& stream, StreamMethod method) {
      return Open(stream, method, *held);
    };
    if (held->use != nullptr) {
      callbacks.read = [use = held->use](size_t bytes) {
        use->ReadMessage(bytes);
      };
    }
    callbacks.ended = [this, held](TcpStream& stream) { Ended(stream, *held); };
    return callbacks;
  }

  absl::StatusOr<std::shared_ptr<StreamHandler>> Open(TcpStream& stream,
                                                      StreamMethod method,
                                                      Held& held) {
    const CallerPtr& caller = held.caller;
    held.open = true;
    ++num_open_;
    if (held.use != nullptr) held.use->OpenStream(SteadyClock().Now());
    const absl::Status allowed = CheckMethodAllowed(method, caller->identity);
    if (!allowed.ok()) {
      RefusedConnections::OfProcess().Add(RefusalReason::kWrongRole,
                                          allowed.message());
      return allowed;
    }
    ASSIGN_OR_RETURN(held.place,
                     places_.Take(caller->share_key(), caller->address));
    absl::Status why = absl::UnavailableError("refused");
    const auto handle = stream.MakeHandle();
    auto handler = accepts_->Accept(method, caller, handle, &why);
    if (handler != nullptr) {
      if (UsesTls(options_)) {
        stream.CloseAt(ages_.EndOf(caller->address, SteadyClock().Now()));
      }
      return handler;
    }
    // Before the handle is destroyed, which would close without the cause.
    stream.Close(why);
    return why;
  }

  void Ended(TcpStream& stream, Held& held) {
    if (held.open) {
      --num_open_;
      if (held.use != nullptr) held.use->CloseStream();
    }
    held.place.Release();
    set_->streams().Remove(&stream);
  }

  void Late(TcpStream& stream) {
    refused_connections_.Add(
        "slow", absl::StrCat(stream.other_end(), ": no stream within ",
                             absl::FormatDuration(options_.handshake_timeout)));
  }

  const NetworkServerOptions options_;
  Address address_;
  RefusalCounter refused_connections_{"connection"};
  ConnectionAges ages_;
  StreamPlaces places_;
  Mutex tls_mutex_;
  std::optional<ReloadedTls> tls_ ABSL_GUARDED_BY(tls_mutex_);  // plain: none
  StreamAcceptor* const accepts_;
  std::atomic<size_t> num_open_{0};
  std::atomic<uint64_t> num_idle_streams_{0};
  std::unique_ptr<TcpStreamSet> set_;
  std::atomic<const ConnectionTable*> table_ = nullptr;
  std::unique_ptr<ConnectionAcceptor> acceptor_;
  std::once_flag shutdown_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<TcpServer>> TcpServer::Start(
    NetworkServerOptions options, StreamAcceptor* acceptor) {
  RETURN_IF_ERROR(CheckServerOptions(options));
  auto server = std::make_unique<TcpServerImpl>(options, acceptor);
  RETURN_IF_ERROR(server->Listen());
  return server;
}

}  // namespace tributary
