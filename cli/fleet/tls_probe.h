// Reads the certificate that a server shows.
#ifndef TRIBUTARY_CLI_FLEET_TLS_PROBE_H_
#define TRIBUTARY_CLI_FLEET_TLS_PROBE_H_

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/fleet/address.h"
#include "common/identity/certificate.h"
#include "common/identity/tls_files.h"

namespace tributary {

// Makes a handshake with the server on a connection of its own, which it then
// closes, and returns what the server's certificate says. UNAVAILABLE when the
// connection or the handshake fails, which also means that an authority outside
// `tls.ca` has signed; DEADLINE_EXCEEDED after `timeout`; UNIMPLEMENTED for
// unix sockets; the errors of FactsOfCertificate().
absl::StatusOr<CertificateFacts> ProbeTls(const Address& address,
                                          const TlsFiles& tls,
                                          absl::Duration timeout);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FLEET_TLS_PROBE_H_
