// The TLS of the HTTP server: certificates that are read again when their files
// change.
#ifndef TRIBUTARY_SAMPLER_SERVER_HTTP_HTTP_TLS_H_
#define TRIBUTARY_SAMPLER_SERVER_HTTP_HTTP_TLS_H_

#include <array>
#include <boost/asio/ssl/context.hpp>
#include <cstdint>
#include <ctime>
#include <memory>

#include "absl/status/statusor.h"
#include "common/identity/identity.h"
#include "common/identity/tls_files.h"

namespace tributary {

// TLS 1.3 with certificates on both sides, signed by the same authorities. A
// connection keeps the context that it began with. Not thread-safe.
class HttpTls {
 public:
  using Context = std::shared_ptr<boost::asio::ssl::context>;

  // INVALID_ARGUMENT, naming the file, for files that cannot be used.
  static absl::StatusOr<HttpTls> Read(const TlsFiles& files);

  // Returns the context for a new connection. Reads the files again if one has
  // changed; as long as they cannot be used it logs that, and those read before
  // stay in use.
  Context Current();

 private:
  // What tells that a file was replaced; zero if there is none.
  struct Stamp {
    uint64_t device = 0, inode = 0, size = 0;
    timespec modified{};
    bool operator==(const Stamp& other) const;
  };
  using Stamps = std::array<Stamp, 3>;

  HttpTls(TlsFiles files, Stamps stamps, Context context);
  static Stamps StampsOf(const TlsFiles& files);

  TlsFiles files_;
  Stamps stamps_;
  Context context_;
};

// Returns who has opened the connection, after its handshake. UNAUTHENTICATED
// as IdentityOfCertificate().
absl::StatusOr<Identity> PeerOf(SSL* ssl);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_HTTP_HTTP_TLS_H_
