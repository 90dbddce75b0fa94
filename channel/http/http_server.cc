#include "channel/http/http_server.h"

#include <netinet/in.h>
#include <pthread.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/http/http_places.h"
#include "channel/tls/refused_connections.h"
#include "channel/tls/tls_context.h"
#include "common/fleet/ip_host.h"
#include "common/text/status.h"

namespace tributary {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

// After a failed accept, say because there are no more descriptors.
constexpr std::chrono::milliseconds kAcceptPause{100};
constexpr char kPlainTextRefused[] =
    "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n"
    "Connection: close\r\nContent-Length: 58\r\n\r\n"
    "this port speaks TLS: https://, with a client certificate\n";

// Whether the client has sent something else than a request; else it is gone.
bool IsBadRequest(const error_code& error) {
  return error != http::error::end_of_stream &&
         error.category() == error_code(http::error::bad_method).category();
}

std::string HostOf(const asio::ip::address& address) {
  if (address.is_v4()) return address.to_string();
  in6_addr name;
  std::ranges::copy(address.to_v6().to_bytes(), name.s6_addr);
  return HostOfIpv6(name);
}

// What a connection needs of the server.
struct Listener {
  void Refuse(RefusalReason reason, const std::string& host,
              absl::string_view why) const {
    RefusedConnections::OfProcess().Add(
        reason,
        absl::StrCat("HTTP on ", address.ToString(), ": ", host, ": ", why));
  }
  const HttpServerOptions options;
  Address address;
};

// One connection, kept alive by its own callbacks. `tls` is null in plain text.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, TlsContext tls, std::string host,
             const Listener* listener)
      : listener_(listener),
        host_(std::move(host)),
        tls_(std::move(tls)),
        stream_(std::move(socket)) {}

  void Run(std::unique_ptr<HttpPlaces::Place> place) {
    place_ = std::move(place);
    stream_.expires_after(Timeout());
    parser_.header_limit(
        static_cast<uint32_t>(listener_->options.max_request_bytes));
    if (tls_ == nullptr) return Read(stream_);
    beast::async_detect_ssl(
        stream_, buffer_,
        [self = shared_from_this()](error_code error, bool is_tls) {
          if (error) return self->NoRequest(error);
          is_tls ? self->Handshake() : self->RefusePlainText();
        });
  }

  // Ends it at once, for another to have its place.
  void Cut() {
    cut_ = true;
    stream_.close();
  }

 private:
  std::chrono::nanoseconds Timeout() const {
    return absl::ToChronoNanoseconds(listener_->options.timeout);
  }

  void Handshake() {
    encrypted_.emplace(stream_, *tls_);
    encrypted_->async_handshake(
        asio::ssl::stream_base::server, buffer_.data(),
        [self = shared_from_this()](error_code error, size_t used) {
          self->buffer_.consume(used);
          self->OnHandshake(error);
        });
  }

  void OnHandshake(error_code error) {
    SSL* const ssl = encrypted_->native_handle();
    if (error) {
      return Refuse(error == beast::error::timeout
                        ? RefusalReason::kSlow
                        : ReasonOfHandshake(error, ssl),
                    error.message());
    }
    absl::StatusOr<CertificateFacts> peer = PeerCertificate(ssl);
    if (!peer.ok()) {
      return Refuse(RefusalReason::kWrongName, peer.status().message());
    }
    client_ = std::move(peer->identity);
    Read(*encrypted_);
  }

  void NoRequest(error_code error) {
    const bool slow = error == beast::error::timeout;
    Refuse(slow ? RefusalReason::kSlow : RefusalReason::kGivenUp,
           slow ? absl::StrCat("no request within ",
                               absl::FormatDuration(listener_->options.timeout))
                : error.message());
  }

  void Refuse(RefusalReason reason, absl::string_view why) {
    if (!cut_) listener_->Refuse(reason, host_, why);
  }

  void RefusePlainText() {
    Refuse(RefusalReason::kNotTls, "speaks plain text, and this port TLS");
    asio::async_write(
        stream_, asio::buffer(kPlainTextRefused, sizeof(kPlainTextRefused) - 1),
        [self = shared_from_this()](error_code, size_t) {
          self->LeaveAfterAnswer();
        });
  }

  template <typename AnyStream>
  void Read(AnyStream& stream) {
    http::async_read(
        stream, buffer_, parser_,
        [this, self = shared_from_this(), &stream](error_code error, size_t) {
          if (!error) return Write(stream, Answer(parser_.get()));
          if (!IsBadRequest(error)) return NoRequest(error);
          Write(stream,
                {400, "text/plain", absl::StrCat(error.message(), "\n")});
        });
  }

  HttpReply Answer(const http::request<http::empty_body>& request) const {
    if (request.method() != http::verb::get) {
      return {405, "text/plain", "allowed: GET\n"};
    }
    std::string path(request.target());
    path.resize(std::min(path.size(), path.find('?')));
    return listener_->options.get(path, client_);
  }

  template <typename AnyStream>
  void Write(AnyStream& stream, HttpReply reply) {
    place_->SetAsked();
    response_.result(reply.status);
    response_.set(http::field::content_type, reply.type);
    for (const auto& [name, value] : reply.headers) response_.set(name, value);
    response_.body() = std::move(reply.body);
    response_.keep_alive(false);
    response_.prepare_payload();
    stream_.expires_after(Timeout());
    http::async_write(stream, response_,
                      [self = shared_from_this()](error_code error, size_t) {
                        if (!error) self->EndTls();
                      });
  }

  void EndTls() {
    if (!encrypted_) return LeaveAfterAnswer();
    encrypted_->async_shutdown(
        [self = shared_from_this()](error_code) { self->LeaveAfterAnswer(); });
  }

  void LeaveAfterAnswer() {
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  const Listener* const listener_;
  const std::string host_;
  const TlsContext tls_;
  std::unique_ptr<HttpPlaces::Place> place_;
  bool cut_ = false;
  beast::tcp_stream stream_;
  std::optional<beast::ssl_stream<beast::tcp_stream&>> encrypted_;
  beast::flat_buffer buffer_{16384};
  http::request_parser<http::empty_body> parser_;
  http::response<http::string_body> response_;
  Identity client_;
};

class HttpServerImpl final : public HttpServer {
 public:
  explicit HttpServerImpl(HttpServerOptions options)
      : listener_{std::move(options), {}},
        places_(listener_.options.max_connections,
                [this](HttpPlaces::Lack lack, const std::string& host) {
                  OnClose(lack, host);
                }),
        acceptor_(io_),
        pause_(io_) {
    listener_.address = listener_.options.listen;
  }
  ~HttpServerImpl() override {
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }

  absl::Status Listen() {
    if (!listener_.options.tls.empty()) {
      ASSIGN_OR_RETURN(
          tls_,
          ReloadedTls::Read(TlsSide::kServer, listener_.options.tls, "--http"));
    }
    error_code error;
    Bind(error);
    if (error) {
      return absl::UnavailableError(absl::StrCat("cannot serve HTTP on ",
                                                 listener_.address.ToString(),
                                                 ": ", error.message()));
    }
    listener_.address.port = acceptor_.local_endpoint().port();
    Accept();
    thread_ = std::thread([this] {
      pthread_setname_np(pthread_self(), "http");
      io_.run();
    });
    return absl::OkStatus();
  }

  const Address& address() const override { return listener_.address; }

 private:
  void Bind(error_code& error) {
    const auto found = tcp::resolver(io_).resolve(
        listener_.address.host, std::to_string(listener_.address.port),
        tcp::resolver::passive | tcp::resolver::numeric_service, error);
    if (error) return;
    const tcp::endpoint endpoint = *found.begin();
    acceptor_.open(endpoint.protocol(), error);
    if (error) return;
    acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error)
      acceptor_.listen(asio::socket_base::max_listen_connections, error);
  }

  void Accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error) return AcceptLater();
      Serve(std::move(socket));
      Accept();
    });
  }

  void Serve(tcp::socket socket) {
    error_code error;
    const tcp::endpoint remote = socket.remote_endpoint(error);
    if (error) return;  // gone already
    const std::string host = HostOf(remote.address());
    socket.set_option(tcp::no_delay(true), error);  // else 40 ms a reply
    const auto connection = std::make_shared<Connection>(
        std::move(socket), tls_ ? tls_->Current() : nullptr, host, &listener_);
    connection->Run(
        places_.Take(host, [weak = std::weak_ptr<Connection>(connection)] {
          if (const auto open = weak.lock()) open->Cut();
        }));
  }

  void OnClose(HttpPlaces::Lack lack, const std::string& host) {
    const bool all = lack == HttpPlaces::Lack::kAll;
    listener_.Refuse(
        all ? RefusalReason::kTooMany : RefusalReason::kHostShare, host,
        absl::StrCat("has ", places_.used_by(host), " of ", places_.used(),
                     " connections, and its oldest makes room; allowed are ",
                     listener_.options.max_connections,
                     " in all, for one host as many as it leaves free"));
  }

  void AcceptLater() {
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](error_code error) {
      if (!error) Accept();
    });
  }

  Listener listener_;
  HttpPlaces places_;
  std::optional<ReloadedTls> tls_;  // none: plain text
  asio::io_context io_{1};  // destroys connections, which use what is above
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::thread thread_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(
    HttpServerOptions options) {
  // asio throws where the system gives it no descriptor.
  const std::string where = options.listen.ToString();
  try {
    auto server = std::make_unique<HttpServerImpl>(std::move(options));
    RETURN_IF_ERROR(server->Listen());
    return server;
  } catch (const boost::system::system_error& error) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot serve HTTP on ", where, ": ", error.what(),
                     "; ulimit -n says how many open files are allowed"));
  }
}

}  // namespace tributary
