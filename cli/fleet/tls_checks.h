// Checks of certificates, for `tributary doctor`.
#ifndef TRIBUTARY_CLI_FLEET_TLS_CHECKS_H_
#define TRIBUTARY_CLI_FLEET_TLS_CHECKS_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "cli/fleet/check.h"
#include "cli/fleet/fleet_query.h"
#include "common/identity/certificate.h"
#include "common/identity/tls_files.h"

namespace tributary {

// Checks one certificate, which `what` names: it fails once it has ended, and
// warns in its last seven days.
Check CheckCertificate(const std::string& what, const CertificateFacts& facts,
                       absl::Time now);

// Checks this program's certificate and those of the servers that have
// answered; each of these may take `timeout`. In plain text there is one check
// that says so.
std::vector<Check> CheckTls(const TlsFiles& tls,
                            const std::vector<ServerAnswer>& answers,
                            absl::Duration timeout);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FLEET_TLS_CHECKS_H_
