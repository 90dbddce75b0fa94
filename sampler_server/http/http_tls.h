// The TLS of the HTTP server: certificates that are read again when their files
// change.
#ifndef TRIBUTARY_SAMPLER_SERVER_HTTP_HTTP_TLS_H_
#define TRIBUTARY_SAMPLER_SERVER_HTTP_HTTP_TLS_H_

#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/grpc/tls/refused_connections.h"
#include "common/identity/identity.h"
#include "common/identity/tls_files.h"
#include "common/identity/tls_material.h"
#include "common/runtime/clock.h"

namespace tributary {

// TLS 1.3 with certificates on both sides, signed by the same authorities. A
// connection keeps the context that it began with. Not thread-safe.
class HttpTls {
 public:
  using Context = std::shared_ptr<boost::asio::ssl::context>;

  // Errors as ReadTlsMaterial's. `clock` outlives the result.
  static absl::StatusOr<HttpTls> Read(const TlsFiles& files,
                                      const Clock& clock = SteadyClock());

  // Returns the context for a new connection. Reads the files again a second
  // after it last did; as long as what is new cannot be used it logs that, and
  // what was read before stays in use.
  Context Current();

 private:
  HttpTls(TlsFiles files, const Clock& clock, TlsMaterial material,
          Context context);
  absl::Status ReadAgain();

  TlsFiles files_;
  const Clock* clock_;
  absl::Time read_;
  TlsMaterial material_;
  Context context_;
};

// Returns who has opened the connection, after its handshake. UNAUTHENTICATED
// as IdentityOfCertificate().
absl::StatusOr<Identity> PeerOf(SSL* ssl);

// Returns why a handshake has failed.
RefusalReason ReasonOfHandshake(const boost::system::error_code& error,
                                SSL* ssl);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_HTTP_HTTP_TLS_H_
