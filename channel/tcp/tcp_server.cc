#include "channel/tcp/tcp_server.h"

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "channel/net/connection_acceptor.h"
#include "channel/net/connection_use.h"
#include "channel/net/listening_sockets.h"
#include "channel/net/stream_places.h"
#include "channel/second_protocol.h"
#include "channel/tcp/tcp_connections.h"
#include "channel/tls/refused_connections.h"
#include "common/observe/refusal_counter.h"
#include "common/text/status.h"

namespace tributary {
namespace {

class TcpServerImpl final : public TcpServer {
 public:
  explicit TcpServerImpl(const NetworkServerOptions& options)
      : options_(options), places_(options.max_streams) {}
  ~TcpServerImpl() override { Shutdown(absl::ZeroDuration()); }

  absl::Status Listen(StreamAcceptor* acceptor) {
    ASSIGN_OR_RETURN(auto sockets, ListeningSockets::Open(
                                       options_.listen,
                                       options_.connection.keepalive_timeout));
    address_ = sockets->address();
    ASSIGN_OR_RETURN(connections_,
                     StartTcpConnections(options_, acceptor, &places_,
                                         &refused_connections_));
    return Accept(std::move(sockets));
  }

  Address address() const override { return address_; }
  void SetServing(bool) override {}
  size_t num_streams() const override { return connections_->num_streams(); }
  size_t num_tcp_streams() const override { return num_streams(); }
  size_t num_connections() const override {
    return acceptor_->num_connections();
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
      if (connections_ != nullptr) connections_->Shutdown(grace);
    });
  }

 private:
  absl::Status Accept(std::unique_ptr<ListeningSockets> sockets) {
    ConnectionAcceptorOptions limits;
    limits.max_connections = options_.max_connections;
    limits.guard.receive_memory = options_.receive_memory;
    ConnectionAcceptor::Callbacks callbacks;
    callbacks.accepted = [this](UniqueFd fd, size_t) {
      connections_->Adopt(std::move(fd), *table_);
    };
    if (options_.tls.empty() && !address_.is_unix()) {
      callbacks.ready = [](absl::Span<const uint8_t> first,
                           const std::string& host) {
        RefusedConnections::OfProcess().CheckPlainText(first[0], host);
        return true;
      };
    }
    callbacks.every_second = [this] {
      num_idle_streams_ +=
          connections_->CloseIdle(options_.stream_idle_timeout);
    };
    ASSIGN_OR_RETURN(acceptor_, ConnectionAcceptor::Start(
                                    std::move(sockets), limits,
                                    &refused_connections_, callbacks, table_));
    return absl::OkStatus();
  }

  const NetworkServerOptions options_;
  Address address_;
  RefusalCounter refused_connections_{"connection"};
  StreamPlaces places_;
  const std::shared_ptr<ConnectionTable> table_ =
      std::make_shared<ConnectionTable>();
  std::atomic<uint64_t> num_idle_streams_{0};
  std::unique_ptr<SecondProtocol> connections_;
  std::unique_ptr<ConnectionAcceptor> acceptor_;
  std::once_flag shutdown_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<TcpServer>> TcpServer::Start(
    NetworkServerOptions options, StreamAcceptor* acceptor) {
  RETURN_IF_ERROR(CheckServerOptions(options));
  auto server = std::make_unique<TcpServerImpl>(options);
  RETURN_IF_ERROR(server->Listen(acceptor));
  return server;
}

}  // namespace tributary
