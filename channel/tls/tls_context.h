// OpenSSL's contexts of TLS, made from a process' files.
#ifndef TRIBUTARY_CHANNEL_TLS_TLS_CONTEXT_H_
#define TRIBUTARY_CHANNEL_TLS_TLS_CONTEXT_H_

#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/tls/refused_connections.h"
#include "common/identity/certificate.h"
#include "common/identity/tls_files.h"
#include "common/identity/tls_material.h"
#include "common/runtime/clock.h"

namespace tributary {

using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

enum class TlsSide { kClient, kServer };

// TLS 1.3 of one side, with certificates on both sides, signed by the same
// authorities; they are read again when their files change. A connection keeps
// the context that it began with. Not thread-safe.
class ReloadedTls {
 public:
  // Errors as ReadTlsMaterial's. Logs name `user`. `clock` outlives the
  // result.
  static absl::StatusOr<ReloadedTls> Read(TlsSide side, const TlsFiles& files,
                                          std::string user,
                                          const Clock& clock = SteadyClock());

  // Returns the context for a new connection. Reads the files again a second
  // after it last did; as long as what is new cannot be used it logs that, and
  // what was read before stays in use.
  TlsContext Current();

 private:
  ReloadedTls(TlsSide side, TlsFiles files, std::string user,
              const Clock& clock);
  absl::Status ReadFiles();

  TlsSide side_;
  TlsFiles files_;
  std::string user_;
  const Clock* clock_;
  absl::Time read_;
  TlsMaterial in_use_;
  TlsContext context_;
};

// Returns a client's context, which trusts servers of the authorities in
// `files`. Errors as ReadTlsMaterial's.
absl::StatusOr<TlsContext> MakeClientContext(const TlsFiles& files);

// Returns what the certificate of the other end says, after the handshake.
// UNAUTHENTICATED as FactsOfCertificate(), and if it has shown none.
absl::StatusOr<CertificateFacts> PeerCertificate(SSL* ssl);

// Returns why a handshake has failed.
RefusalReason ReasonOfHandshake(const boost::system::error_code& error,
                                SSL* ssl);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TLS_TLS_CONTEXT_H_
