#include "sampler_server/http/http_server.h"

#include <pthread.h>

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
#include "common/observe/log.h"
#include "common/text/status.h"
#include "sampler_server/http/http_tls.h"

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

// What connections need of the listener; each holds a place until it ends.
class Places {
 public:
  virtual ~Places() = default;
  virtual const HttpServerOptions& options() const = 0;
  virtual void Leave() = 0;
};

// One connection, kept alive by its own callbacks. `tls` is null in plain text.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, HttpTls::Context tls, Places* places)
      : places_(places), tls_(std::move(tls)), stream_(std::move(socket)) {}
  ~Connection() { places_->Leave(); }

  void Run() {
    stream_.expires_after(Timeout());
    parser_.header_limit(
        static_cast<uint32_t>(places_->options().max_request_bytes));
    if (tls_ == nullptr) return Read(stream_);
    beast::async_detect_ssl(
        stream_, buffer_,
        [self = shared_from_this()](error_code error, bool is_tls) {
          if (error) return;
          is_tls ? self->Handshake() : self->RefusePlainText();
        });
  }

 private:
  std::chrono::nanoseconds Timeout() const {
    return absl::ToChronoNanoseconds(places_->options().timeout);
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
    absl::StatusOr<Identity> peer =
        error ? absl::UnauthenticatedError(error.message())
              : PeerOf(encrypted_->native_handle());
    if (!peer.ok()) {
      LogRepeated(LogLevel::kWarning, "http-refused",
                  absl::StrCat("--http refuses ", RemoteAddress(), ": ",
                               peer.status().message()));
      return;
    }
    client_ = *std::move(peer);
    Read(*encrypted_);
  }

  void RefusePlainText() {
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
          if (!IsBadRequest(error)) return;
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
    return places_->options().get(path, client_);
  }

  template <typename AnyStream>
  void Write(AnyStream& stream, HttpReply reply) {
    response_.result(reply.status);
    response_.set(http::field::content_type, reply.type);
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

  std::string RemoteAddress() {
    error_code error;
    const tcp::endpoint remote = stream_.socket().remote_endpoint(error);
    return error ? "a client that has gone" : remote.address().to_string();
  }

  Places* const places_;
  const HttpTls::Context tls_;
  beast::tcp_stream stream_;
  std::optional<beast::ssl_stream<beast::tcp_stream&>> encrypted_;
  beast::flat_buffer buffer_{16384};
  http::request_parser<http::empty_body> parser_;
  http::response<http::string_body> response_;
  Identity client_;
};

class HttpServerImpl final : public HttpServer, public Places {
 public:
  explicit HttpServerImpl(HttpServerOptions options)
      : options_(std::move(options)),
        address_(options_.listen),
        acceptor_(io_),
        pause_(io_) {}
  ~HttpServerImpl() override {
    io_.stop();
    if (thread_.joinable()) thread_.join();
    ending_ = true;
  }

  absl::Status Listen() {
    if (!options_.tls.empty()) {
      ASSIGN_OR_RETURN(tls_, HttpTls::Read(options_.tls));
    }
    error_code error;
    Bind(error);
    if (error) {
      return absl::UnavailableError(absl::StrCat(
          "cannot serve HTTP on ", address_.ToString(), ": ", error.message()));
    }
    address_.port = acceptor_.local_endpoint().port();
    Accept();
    thread_ = std::thread([this] {
      pthread_setname_np(pthread_self(), "http");
      io_.run();
    });
    return absl::OkStatus();
  }

  const Address& address() const override { return address_; }

 private:
  void Bind(error_code& error) {
    const auto found = tcp::resolver(io_).resolve(
        address_.host, std::to_string(address_.port),
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

  const HttpServerOptions& options() const override { return options_; }
  void Leave() override {
    --open_;
    if (!accepting_ && !ending_) Accept();
  }

  void Accept() {
    accepting_ = open_ < options_.max_connections;
    if (!accepting_) return;
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error) return AcceptLater();
      ++open_;
      socket.set_option(tcp::no_delay(true), error);  // else 40 ms a reply
      std::make_shared<Connection>(std::move(socket),
                                   tls_ ? tls_->Current() : nullptr, this)
          ->Run();
      Accept();
    });
  }

  void AcceptLater() {
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](error_code error) {
      if (!error) Accept();
    });
  }

  const HttpServerOptions options_;
  Address address_;
  std::optional<HttpTls> tls_;  // none: plain text
  size_t open_ = 0;             // connections
  bool accepting_ = false;
  bool ending_ = false;
  asio::io_context io_{1};  // destroys connections, which use what is above
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::thread thread_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(
    HttpServerOptions options) {
  auto server = std::make_unique<HttpServerImpl>(std::move(options));
  RETURN_IF_ERROR(server->Listen());
  return server;
}

}  // namespace tributary
