#include "channel/tcp/tcp_transport.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/tcp/first_bytes.h"
#include "channel/tls/peer_check.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Lookups at once: a name that nobody answers for holds one for seconds.
constexpr int kNameThreads = 4;

absl::Status ShutDownError() {
  return absl::UnavailableError("the transport was shut down");
}

absl::Duration TickInterval(const NetworkTransportOptions& options) {
  const absl::Duration least =
      std::min({options.connect_timeout, options.connection.keepalive_time,
                options.connection.keepalive_timeout});
  return std::clamp(least / 8, absl::Milliseconds(10), absl::Seconds(1));
}

}  // namespace

TcpTransport::TcpTransport(NetworkTransportOptions options)
    : options_(std::move(options)) {}

absl::StatusOr<std::unique_ptr<TcpTransport>> TcpTransport::Start(
    NetworkTransportOptions options) {
  std::unique_ptr<TcpTransport> transport(new TcpTransport(std::move(options)));
  if (const TlsFiles& files = transport->options_.tls; !files.empty()) {
    ASSIGN_OR_RETURN(
        auto tls, ReloadedTls::Read(TlsSide::kClient, files, "this process"));
    MutexLock lock(transport->mutex_);
    transport->tls_ = std::move(tls);
  }
  ASSIGN_OR_RETURN(
      transport->set_,
      TcpStreamSet::Start("tcp-client", TickInterval(transport->options_),
                          nullptr));
  return transport;
}

TcpTransport::~TcpTransport() {
  if (set_ == nullptr) return;
  Shutdown();
  std::unique_ptr<ThreadPool> names;  // ended without the lock
  {
    MutexLock lock(mutex_);
    names = std::move(names_);
  }
}

void TcpTransport::Shutdown() {
  set_->End(ShutDownError(), /*after_queue=*/false, absl::ZeroDuration());
}

std::shared_ptr<Stream> TcpTransport::Connect(
    const Address& address, StreamMethod method,
    std::shared_ptr<StreamHandler> handler) {
  SocketLoop* const loop = set_->NextLoop();
  TcpStream::Callbacks callbacks;
  callbacks.verify = [files = options_.tls](const std::string& pem) {
    const absl::Status checked = CheckServer(pem);
    if (checked.ok()) return checked;
    return absl::Status(
        checked.code(),
        absl::StrCat(checked.message(), "; this process has --tls-cert ",
                     files.cert));
  };
  callbacks.ended = [this](TcpStream& stream) {
    set_->streams().Remove(&stream);
  };
  const auto stream = std::make_shared<TcpStream>(
      address.ToString(), loop,
      TcpStreamOptions{options_.connection, options_.connect_timeout},
      std::move(callbacks));
  auto handle = stream->MakeHandle();
  const bool open = set_->streams().Add(stream.get());
  stream->StartClient(method, std::move(handler));
  if (!open) {
    stream->Close(ShutDownError());
    stream->Break(ShutDownError());
    return handle;
  }
  auto names = NamesOf(address, /*numeric=*/true);
  if (absl::IsNotFound(names.status())) {
    LookUp(address, stream, loop);
  } else {
    ConnectTo(address, std::move(names), stream, loop);
  }
  return handle;
}

void TcpTransport::LookUp(const Address& address,
                          std::shared_ptr<TcpStream> stream, SocketLoop* loop) {
  MutexLock lock(mutex_);
  if (names_ == nullptr) {
    try {
      names_ = std::make_unique<ThreadPool>("tcp-names", kNameThreads);
    } catch (const std::system_error& error) {
      return stream->Break(absl::ResourceExhaustedError(absl::StrCat(
          address.ToString(), ": no thread to look it up: ", error.what())));
    }
  }
  names_->Post([this, address, stream = std::move(stream), loop] {
    ConnectTo(address, NamesOf(address, /*numeric=*/false), stream, loop);
  });
}

void TcpTransport::ConnectTo(const Address& address,
                             absl::StatusOr<std::vector<SocketName>> names,
                             std::shared_ptr<TcpStream> stream,
                             SocketLoop* loop) {
  if (!names.ok()) return stream->Break(names.status());
  TcpConnector::Start(
      loop, *std::move(names), address.ToString(), options_.connect_timeout,
      options_.connection.keepalive_timeout,
      [this, stream,
       plain = address.is_unix()](absl::StatusOr<UniqueFd> socket) {
        Connected(*stream, plain, std::move(socket));
      });
}

void TcpTransport::Connected(TcpStream& stream, bool plain,
                             absl::StatusOr<UniqueFd> socket) {
  if (!socket.ok()) return stream.Break(socket.status());
  std::unique_ptr<TlsConnection> tls;
  {
    MutexLock lock(mutex_);
    if (tls_.has_value() && !plain) {
      auto started = TlsConnection::Start(tls_->Current(), TlsSide::kClient,
                                          socket->get(), kTcpAlpn);
      if (!started.ok()) return stream.Break(started.status());
      tls = *std::move(started);
    }
  }
  stream.Attach(*std::move(socket), std::move(tls));
}

}  // namespace tributary
