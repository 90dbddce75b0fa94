#include "channel/tcp/tcp_server.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/caller.h"
#include "channel/method_roles.h"
#include "channel/net/connection_acceptor.h"
#include "channel/net/connection_use.h"
#include "channel/net/listening_sockets.h"
#include "channel/net/peer_name.h"
#include "channel/net/stream_places.h"
#include "channel/planned_end.h"
#include "channel/tcp/tcp_stream.h"
#include "channel/tcp/tcp_stream_set.h"
#include "channel/tls/refused_connections.h"
#include "common/observe/refusal_counter.h"
#include "common/runtime/clock.h"
#include "common/text/status.h"

namespace tributary {
namespace {

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
      : options_(options), places_(options.max_streams), accepts_(acceptor) {}
  ~TcpServerImpl() override { Shutdown(absl::ZeroDuration()); }

  absl::Status Listen() {
    ASSIGN_OR_RETURN(auto sockets, ListeningSockets::Open(
                                       options_.listen,
                                       options_.connection.keepalive_timeout));
    address_ = sockets->address();
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
    const ConnectionTable* const table = table_;
    auto held = std::make_shared<Held>();
    if (table != nullptr) {
      held->use = table->Find(ConnectionTable::KeyOfSocket(fd.get()));
    }
    TcpStream::Callbacks callbacks;
    auto caller = MakeCaller(PeerNameOf(fd.get()));
    callbacks.open = [this, held, caller](TcpStream& stream,
                                          StreamMethod method) {
      return Open(stream, method, caller, *held);
    };
    if (held->use != nullptr) {
      callbacks.read = [use = held->use](size_t bytes) {
        use->ReadMessage(bytes);
      };
    }
    callbacks.ended = [this, held](TcpStream& stream) { Ended(stream, *held); };
    const auto stream = std::make_shared<TcpStream>(
        caller->address, set_->NextLoop(),
        TcpStreamOptions{options_.connection, options_.handshake_timeout},
        std::move(callbacks));
    const bool open = set_->streams().Add(stream.get());
    stream->StartServer(std::move(fd));
    if (!open) stream->Close(PlannedEnd("the server is shutting down"));
  }

  absl::StatusOr<std::shared_ptr<StreamHandler>> Open(TcpStream& stream,
                                                      StreamMethod method,
                                                      const CallerPtr& caller,
                                                      Held& held) {
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
    if (handler != nullptr) return handler;
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
  StreamPlaces places_;
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
  if (!options.tls.empty() && !options.listen.is_unix()) {
    return absl::UnimplementedError("no TLS over plain TCP streams");
  }
  auto server = std::make_unique<TcpServerImpl>(options, acceptor);
  RETURN_IF_ERROR(server->Listen());
  return server;
}

}  // namespace tributary
