#include "cli/fleet/tls_probe.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "channel/tls/tls_context.h"
#include "common/text/status.h"

namespace tributary {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// What gRPC's servers want to be spoken to.
constexpr unsigned char kHttp2[] = {2, 'h', '2'};

class Probe {
 public:
  explicit Probe(asio::ssl::context& context) : stream_(io_, context) {
    SSL_set_alpn_protos(stream_.native_handle(), kHttp2, sizeof(kHttp2));
  }

  absl::StatusOr<CertificateFacts> Run(const Address& address,
                                       absl::Duration timeout) {
    tcp::resolver resolver(io_);
    resolver.async_resolve(
        address.host, absl::StrCat(address.port),
        [this](error_code error, const tcp::resolver::results_type& found) {
          if (Failed("look up", error)) return;
          Connect(found);
        });
    io_.run_for(absl::ToChronoNanoseconds(timeout));
    RETURN_IF_ERROR(status_);
    return PeerCertificate(stream_.native_handle());
  }

 private:
  bool Failed(const char* what, const error_code& error) {
    if (!error) return false;
    status_ = absl::UnavailableError(absl::StrCat(what, ": ", error.message()));
    return true;
  }

  void Connect(const tcp::resolver::results_type& found) {
    asio::async_connect(stream_.next_layer(), found,
                        [this](error_code error, const tcp::endpoint&) {
                          if (Failed("connect", error)) return;
                          Handshake();
                        });
  }

  void Handshake() {
    stream_.async_handshake(asio::ssl::stream_base::client,
                            [this](error_code error) {
                              if (Failed("handshake", error)) return;
                              status_ = absl::OkStatus();
                            });
  }

  absl::Status status_ = absl::DeadlineExceededError("no handshake in time");
  asio::io_context io_{1};
  asio::ssl::stream<tcp::socket> stream_;
};

}  // namespace

absl::StatusOr<CertificateFacts> ProbeTls(const Address& address,
                                          const TlsFiles& tls,
                                          absl::Duration timeout) {
  if (address.is_unix()) {
    return absl::UnimplementedError("unix sockets are not probed");
  }
  ASSIGN_OR_RETURN(const TlsContext context, MakeClientContext(tls));
  return Probe(*context).Run(address, timeout);
}

}  // namespace tributary
