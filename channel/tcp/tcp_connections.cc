#include "channel/tcp/tcp_connections.h"

#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/caller.h"
#include "channel/method_roles.h"
#include "channel/net/connection_ages.h"
#include "channel/net/connection_use.h"
#include "channel/net/peer_name.h"
#include "channel/planned_end.h"
#include "channel/tcp/first_bytes.h"
#include "channel/tcp/tcp_stream.h"
#include "channel/tcp/tcp_stream_set.h"
#include "channel/tls/peer_check.h"
#include "channel/tls/refused_connections.h"
#include "channel/tls/tls_connection.h"
#include "channel/tls/tls_context.h"
#include "common/identity/certificate.h"
#include "common/observe/log.h"
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

class TcpConnections final : public SecondProtocol {
 public:
  TcpConnections(const NetworkServerOptions& options, StreamAcceptor* acceptor,
                 StreamPlaces* places, RefusalCounter* refused)
      : options_(options),
        accepts_(acceptor),
        places_(places),
        refused_(refused),
        ages_(options.age) {}

  absl::Status Start() {
    if (UsesTls(options_)) {
      ASSIGN_OR_RETURN(auto tls, ReloadedTls::Read(TlsSide::kServer,
                                                   options_.tls, "the server"));
      MutexLock lock(tls_mutex_);
      tls_ = std::move(tls);
    }
    ASSIGN_OR_RETURN(
        set_, TcpStreamSet::Start("tcp-server", TickInterval(options_),
                                  [this](TcpStream& stream) { Late(stream); }));
    return absl::OkStatus();
  }

  std::optional<bool> Takes(absl::Span<const uint8_t> first) const override {
    return BeginsTcpStream(first, UsesTls(options_));
  }
  void Adopt(UniqueFd fd, const ConnectionTable& table) override {
    auto tls = MakeTls(fd.get());
    if (!tls.ok()) {
      LogRepeated(LogLevel::kError, "tcp-tls", tls.status().ToString());
      shutdown(fd.get(), SHUT_RDWR);  // the acceptor has a duplicate
      return;
    }
    auto held = std::make_shared<Held>();
    held->caller = MakeCaller(PeerNameOf(fd.get()));
    held->use = table.Find(ConnectionTable::KeyOfSocket(fd.get()));
    const auto stream = std::make_shared<TcpStream>(
        held->caller->address, set_->NextLoop(),
        TcpStreamOptions{options_.connection, options_.handshake_timeout},
        CallbacksOf(held));
    const bool open = set_->streams().Add(stream.get());
    stream->StartServer(std::move(fd), *std::move(tls));
    if (!open) stream->Close(PlannedEnd("the server is shutting down"));
  }

  size_t num_streams() const override { return num_open_; }
  size_t CloseIdle(absl::Duration timeout) override {
    return set_->streams().CloseIdle(timeout);
  }
  void Shutdown(absl::Duration grace) override {
    set_->End(PlannedEnd("the server is shutting down"), /*after_queue=*/true,
              grace);
  }

 private:
  // Held for a stream until it has ended. Used on its loop's thread.
  struct Held {
    CallerPtr caller;
    std::shared_ptr<ConnectionUse> use;  // null: not measured
    BudgetShare::Hold place;
    bool open = false;
  };

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
                     places_->Take(caller->share_key(), caller->address));
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
    refused_->Add(
        "slow", absl::StrCat(stream.other_end(), ": no stream within ",
                             absl::FormatDuration(options_.handshake_timeout)));
  }

  const NetworkServerOptions options_;
  StreamAcceptor* const accepts_;
  StreamPlaces* const places_;
  RefusalCounter* const refused_;
  ConnectionAges ages_;
  std::atomic<size_t> num_open_{0};
  Mutex tls_mutex_;
  std::optional<ReloadedTls> tls_ ABSL_GUARDED_BY(tls_mutex_);  // plain: none
  std::unique_ptr<TcpStreamSet> set_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SecondProtocol>> StartTcpConnections(
    const NetworkServerOptions& options, StreamAcceptor* acceptor,
    StreamPlaces* places, RefusalCounter* refused) {
  auto connections =
      std::make_unique<TcpConnections>(options, acceptor, places, refused);
  RETURN_IF_ERROR(connections->Start());
  return connections;
}

}  // namespace tributary
